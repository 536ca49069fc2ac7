/** What became of an import, as tables: for people and their spreadsheets, and for programs that read line by line. */
import { NotFound } from '../../domain/errors.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { ownedBy, visibleSubmitters } from '../ownership.ts';
import {
  csvOf,
  FILE_COLUMNS,
  type FileRow,
  fileRows,
  jsonLinesOf,
  PRODUCT_COLUMNS,
  type ProductRow,
  productRows,
} from '../presenters/import-tables.ts';
import { createReadTrail } from '../read-trail.ts';
import { queuedImport } from '../reports/import-source.ts';
import type { Snapshots } from '../reports/snapshots.ts';
import { defineRoute } from '../route.ts';
import { idParams } from '../schemas/common.ts';
import { textStream } from '../text-stream.ts';
import type { Caller } from '../tokens/access-token.ts';

interface Rows {
  rows: AsyncIterable<ProductRow | FileRow>;
  /** To be called when they have been read, or never will be. */
  close: () => void;
}

interface TableKind {
  name: 'products' | 'files';
  operationId: string;
  what: string;
  columns: readonly string[];
  read(caller: Caller, importId: number): Promise<Rows | null>;
}

const FORMS = [
  { extension: 'csv', id: 'Csv', contentType: 'text/csv', title: 'CSV', write: csvOf },
  {
    extension: 'jsonl',
    id: 'JsonLines',
    contentType: 'application/jsonl',
    title: 'JSON Lines',
    write: jsonLinesOf,
  },
] as const;

export function importTableRoutes(
  { database }: Pick<GatewayDependencies, 'database'>,
  snapshotOf: Snapshots,
) {
  const reads = createReadTrail(database.auditTrail);
  const viewOf = (caller: Caller, importId: number) => ({ importId, submitters: visibleSubmitters(caller) });

  const kinds: TableKind[] = [
    {
      name: 'products',
      operationId: 'getImportProducts',
      what: 'The products of an import as they stand now',
      columns: PRODUCT_COLUMNS,
      async read(caller, importId) {
        const snapshot = await snapshotOf(caller.clientId, viewOf(caller, importId));
        return snapshot && { rows: productRows(snapshot), close: snapshot.release };
      },
    },
    {
      name: 'files',
      operationId: 'getImportFiles',
      what: 'The files of an import that did not become products',
      columns: FILE_COLUMNS,
      // They never change: nothing of them has to be kept while they are read.
      async read(caller, importId) {
        const source = await queuedImport(database.reports, viewOf(caller, importId));
        return source && { rows: fileRows(source), close: () => {} };
      },
    },
  ];

  return kinds.flatMap((kind) =>
    FORMS.map(({ extension, id: form, contentType, title, write }) =>
      defineRoute({
        method: 'get',
        path: `/regulator/package-imports/{id}/${kind.name}.${extension}`,
        operationId: kind.operationId + form,
        tag: 'Package imports',
        summary: `${kind.what}, as ${title}`,
        description: `${HOW[extension]} Columns: ${kind.columns.map((column) => `\`${column}\``).join(', ')}. New ones come last.`,
        permission: PERMISSIONS.readImports,
        params: idParams,
        answers: { 200: { contentType, description: 'The table, a line for each, in archive order' } },
        errors: {
          404: 'No such import, or not yours',
          429: 'Too many requests of this client, or large reports under way; the header `Retry-After` says when to come back',
        },
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

const HOW = {
  csv: 'RFC 4180, in UTF-8 with a byte order mark, with a header; a cell that a spreadsheet would take for a formula begins with an apostrophe, and several warnings are lines of one cell.',
  jsonl: 'An object for each line, in UTF-8.',
} as const;
