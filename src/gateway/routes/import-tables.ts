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
import { NotFound } from '../../domain/errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { ownedBy, visibleSubmitters } from '../ownership.ts';
import { csvOf, fileRows, jsonLinesOf, productRows } from '../presenters/import-tables.ts';
import { createReadTrail } from '../read-trail.ts';
import { queuedImport } from '../reports/import-source.ts';
import type { Snapshots } from '../reports/snapshots.ts';
import { defineRoute } from '../route.ts';
import { textStream } from '../text-stream.ts';
import type { Caller } from '../tokens/access-token.ts';

interface Rows {
  rows: AsyncIterable<ProductRow | FileRow>;
  /** Releases the rows. To be called once they have been read or given up. */
  close: () => void;
}

interface TableKind {
  name: 'products' | 'files';
  columns: readonly string[];
  read(caller: Caller, importId: number): Promise<Rows | null>;
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
  const viewOf = (caller: Caller, importId: number) => ({ importId, submitters: visibleSubmitters(caller) });

  const kinds: TableKind[] = [
    {
      name: 'products',
      columns: PRODUCT_COLUMNS,
      async read(caller, importId) {
        const snapshot = await snapshotOf(caller.clientId, viewOf(caller, importId));
        return snapshot && { rows: productRows(snapshot), close: snapshot.release };
      },
    },
    {
      name: 'files',
      columns: FILE_COLUMNS,
      // Files never change, so no snapshot is needed.
      async read(caller, importId) {
        const source = await queuedImport(database.reports, viewOf(caller, importId));
        return source && { rows: fileRows(source), close: () => {} };
      },
    },
  ];

  return kinds.flatMap((kind) =>
    FORMS.map(({ extension, write }) =>
      defineRoute({
        ...OPERATIONS[`${kind.name}.${extension}`],
        async handle({ caller, params: { id } }) {
          const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
          await reads.note(caller, record.clientId, { action: 'import.read', importId: id });
          const table = await kind.read(caller, id);
          if (!table) throw new NotFound('Package import', id);
          return {
            stream: textStream(write(kind.columns, table.rows), table.close),
            fileName: `package-import-${id}-${kind.name}.${extension}`,
          };
        },
      }),
    ),
  );
}
