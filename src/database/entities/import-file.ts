import { defineEntity, p } from '@mikro-orm/core';
import type { Reason } from '../../contract/types.ts';
import { PackageImport } from './package-import.ts';

/**
 * A file of the package without a record of its own: a failed or skipped product file, an unreadable attachment or
 * submitter file, or XML that is in no folder of the layout. Written once, never changed.
 */
export const ImportFile = defineEntity({
  name: 'ImportFile',
  tableName: 'zip_import_file',
  properties: {
    id: p.bigint('number').primary(),
    packageImport: () =>
      p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade'),
    /** Position in the archive, from 0: results are shown in archive order. */
    entryIndex: p.integer(),
    entryPath: p.text(),
    /** Base name of the file, as the interface reports it. */
    xmlFile: p.text(),
    kind: p.enum(['product', 'attachment', 'submitter', 'other'] as const).default('product'),
    outcome: p.enum(['failed', 'skipped'] as const),
    reasons: p.json<Reason[]>(),
    productId: p.string().nullable(),
  },
  uniques: [{ properties: ['packageImport', 'entryPath'] }],
  indexes: [
    { properties: ['packageImport', 'outcome', 'entryIndex'] },
    {
      name: 'zip_import_file_refused_index',
      expression: `create index "zip_import_file_refused_index" on "zip_import_file" ("zip_import_id") where "kind" = 'product' and "outcome" = 'failed'`,
    },
  ],
});
