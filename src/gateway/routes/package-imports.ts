/** Reading imports. */
import { z } from 'zod';
import type { ImportSearch } from '../../database/import-search.ts';
import { NotFound } from '../../domain/errors.ts';
import { COMMENT_LOOKED_AT, IMPORT_STATUSES, LOOKED_AT } from '../../domain/package-import.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { StreamedData } from '../json-stream.ts';
import { FORBIDDEN, listedClient, ownedBy, visibleSubmitters } from '../ownership.ts';
import { presentReport } from '../presenters/package-import.ts';
import { createReadTrail } from '../read-trail.ts';
import type { Snapshots } from '../reports/snapshots.ts';
import { createSummaries } from '../reports/summaries.ts';
import { defineRoute } from '../route.ts';
import {
  IN_ORDER,
  idParams,
  nextBefore,
  pageQuery,
  plainText,
  searchedText,
  timeQuery,
} from '../schemas/common.ts';
import { importCounts, importReport, importSummary } from '../schemas/package-import.ts';
import type { Caller } from '../tokens/access-token.ts';

const listQuery = z
  .object({
    client_id: plainText
      .optional()
      .meta({ description: "Only of this client; another's than one's own is for operators" }),
    file_name: searchedText
      .optional()
      .meta({ description: 'A part of the name of the ZIP file, in any case', example: 'export' }),
    comment: searchedText.optional().meta({
      description: `A part of the first ${COMMENT_LOOKED_AT} characters of the comment, in any case`,
    }),
    ...timeQuery,
    status: z.enum(IMPORT_STATUSES).optional(),
    has_failures: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional()
      .meta({
        description:
          'Whether the package could not be read, or a product of it could not be read, was not queued, or failed',
      }),
    ...pageQuery.shape,
  })
  .refine(({ from, to }) => !(from && to && from >= to), IN_ORDER);

const reportQuery = z.object({
  view: z.enum(['full', 'summary']).default('full').meta({
    description: '`summary` leaves the products out: to be polled while a large import is under way',
  }),
});

export function packageImportRoutes(
  { database, version }: Pick<GatewayDependencies, 'database' | 'version'>,
  snapshotOf: Snapshots,
) {
  const reads = createReadTrail(database.auditTrail);
  const summarize = createSummaries(database);
  return [
    defineRoute({
      method: 'get',
      path: '/regulator/package-imports',
      operationId: 'getPackageImports',
      tag: 'Package imports',
      summary: 'List imports, newest first',
      description:
        `Texts and failures are looked for among ${LOOKED_AT} imports a page: a page may be short, or empty, and go on ` +
        'nevertheless. Only where `next_before` is null there is no more.',
      permission: PERMISSIONS.readImports,
      query: listQuery,
      answers: {
        200: {
          description: 'One page',
          data: z.object({
            imports: z.array(importSummary),
            counts: importCounts.nullable(),
            next_before: nextBefore,
          }),
        },
      },
      errors: { 403: FORBIDDEN },
      async handle({ caller, query: { limit, before, ...asked } }) {
        const submitters = visibleSubmitters(caller);
        const search: ImportSearch = {
          clientId: listedClient(caller, asked.client_id),
          ...{ fileName: asked.file_name, comment: asked.comment, from: asked.from, until: asked.to },
          ...{ status: asked.status, hasFailures: asked.has_failures, submitters },
        };
        const { records, nextBefore: next_before } = await database.imports.list(search, { limit, before });
        const listed = before === undefined ? await database.imports.countListed(search) : null;
        await reads.note(caller, null, { action: 'import.list_read' });
        const imports = records.map(await summarize(caller, records));
        const counts = listed && { by_status: listed.byStatus, complete: listed.complete };
        return {
          message: 'Package imports.',
          data: { imports, counts, next_before },
        };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/regulator/package-imports/{id}',
      operationId: 'getPackageImport',
      tag: 'Package imports',
      summary: 'The import result as it stands now',
      permission: PERMISSIONS.readImports,
      params: idParams,
      query: reportQuery,
      answers: { 200: { description: 'The import', data: z.union([importReport, importSummary]) } },
      errors: {
        404: 'No such import, or not yours',
        429: 'Too many requests of this client, or large reports under way; the header `Retry-After` says when to come back',
      },
      async handle({ caller, params: { id }, query: { view } }) {
        const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
        await reads.note(caller, record.clientId, { action: 'import.read', importId: id });
        if (view === 'summary') {
          return { message: 'Package import.', data: (await summarize(caller, [record]))(record) };
        }
        // Another version of the service may show the same rows in another way.
        const tag = `${version} ${await database.imports.version(id)} ${JSON.stringify(visibleSubmitters(caller))}`;
        return { message: 'Package import.', version: tag, read: () => readReport(caller, id) };
      },
    }),
  ];

  async function readReport(caller: Caller, importId: number) {
    const view = { importId, submitters: visibleSubmitters(caller) };
    const snapshot = await snapshotOf(caller.clientId, view);
    if (!snapshot) throw new NotFound('Package import', importId);
    return new StreamedData(presentReport(snapshot), snapshot.release);
  }
}
