import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { PackageImport } from './package-import.ts';

/** A product file that became no submission: it failed, or it was skipped. Written once, never judged again. */
export const ImportFile = defineEntity({
  name: 'ImportFile',
  tableName: 'zip_import_file',
  properties: {
    id: p.integer().primary(),
    packageImport: () =>
      p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade'),
    /** Position in the archive, from 0: results are shown in archive order. */
    entryIndex: p.integer(),
    entryPath: p.text(),
    /** Base name of the file, as the interface reports it. */
    xmlFile: p.text(),
    outcome: p.enum(['failed', 'skipped'] as const),
    reason: p.text(),
    productId: p.string().nullable(),
  },
  uniques: [{ properties: ['packageImport', 'entryPath'] }],
  indexes: [{ properties: ['packageImport', 'outcome', 'entryIndex'] }],
});

export type ImportFileRow = InferEntity<typeof ImportFile>;
