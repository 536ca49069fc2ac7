import { defineEntity, p } from '@mikro-orm/core';
import type { Json } from '../../domain/product.ts';
import { PackageImport } from './package-import.ts';

/**
 * A submitter file of a package. Products carry only the submitter's ID. The tenant's newest file holds the details.
 */
export const Submitter = defineEntity({
  name: 'Submitter',
  tableName: 'submitter',
  properties: {
    id: p.bigint('number').primary(),
    tenant: p.text(),
    submitterId: p.string().length(5),
    packageImport: () =>
      p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade'),
    entryPath: p.text(),
    details: p.json<Json>(),
  },
  uniques: [{ properties: ['packageImport', 'entryPath'] }],
  indexes: [{ properties: ['tenant', 'submitterId', 'id'] }],
});
