/** The result of an import as tables: CSV for spreadsheets, JSON Lines for programs. */

import {
  FILE_COLUMNS,
  type FileRow,
  getImportFilesCsv,
  getImportFilesJsonLines,
  getImportProductsCsv,
  getImportProductsJsonLines,
  PRODUCT_COLUMNS,
  type ProductRow,
} from '../../contract/schemas/import-tables.ts';
import { NotFound } from '../../domain/client-errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { ownedBy } from '../ownership.ts';
import { csvOf, fileRows, jsonLinesOf, productRows } from '../presenters/import-tables.ts';
import type { Read } from '../quotas/reads.ts';
import { createReadTrail } from '../read-trail.ts';
import { queuedImport } from '../reports/import-source.ts';
import type { Snapshots } from '../reports/snapshots.ts';
import { defineRoute } from '../route.ts';
import { readIn } from '../state.ts';
import { textStream } from '../text-stream.ts';

interface TableKind {
  name: 'products' | 'files';
  columns: readonly string[];
  rows(read: Read, importId: number): Promise<AsyncIterable<ProductRow | FileRow> | null>;
}

const FORMS = [
  { extension: 'csv', write: csvOf },
  { extension: 'jsonl', write: jsonLinesOf },
] as const;

const OPERATIONS = {
  'products.csv': getImportProductsCsv,
  'products.jsonl': getImportProductsJsonLines,
  'files.csv': getImportFilesCsv,
  'files.jsonl': getImportFilesJsonLines,
} as const;

export function importTableRoutes(
  { database }: Pick<GatewayDependencies, 'database'>,
  snapshotOf: Snapshots,
) {
  const reads = createReadTrail(database.auditTrail);

  const kinds: TableKind[] = [
    {
      name: 'products',
      columns: PRODUCT_COLUMNS,
      async rows(read, importId) {
        const snapshot = await snapshotOf(read, importId);
        return snapshot && productRows(snapshot);
      },
    },
    {
      name: 'files',
      columns: FILE_COLUMNS,
      // Files never change, so no snapshot is needed.
      async rows(_read, importId) {
        const source = await queuedImport(database.reports, importId);
        return source && fileRows(source);
      },
    },
  ];

  return kinds.flatMap((kind) =>
    FORMS.map(({ extension, write }) =>
      defineRoute({
        ...OPERATIONS[`${kind.name}.${extension}`],
        async handle({ caller, params: { id }, state }) {
          const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
          await reads.note(caller, record.tenant, { action: 'import.read', importId: id });
          const rows = await kind.rows(readIn(state), id);
          if (!rows) throw new NotFound('Package import', id);
          return {
            stream: textStream(write(kind.columns, rows)),
            fileName: `package-import-${id}-${kind.name}.${extension}`,
          };
        },
      }),
    ),
  );
}
