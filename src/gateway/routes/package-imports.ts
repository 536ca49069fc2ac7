/** Reading imports. */
import { z } from 'zod';
import { NotFound } from '../../domain/errors.ts';
import { IMPORT_STATUSES } from '../../domain/package-import.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import { zeroStatusCounts } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { StreamedData } from '../json-stream.ts';
import { isOperator, ownedBy, visibleSubmitters } from '../ownership.ts';
import { presentReport, presentSummary } from '../presenters/package-import.ts';
import { createReadTrail } from '../read-trail.ts';
import { createSnapshots } from '../reports/snapshots.ts';
import { defineRoute } from '../route.ts';
import { idParams, nextBefore, pageOf, pageQuery } from '../schemas/common.ts';
import { importReport, importSummary } from '../schemas/package-import.ts';
import type { Caller } from '../tokens/access-token.ts';

const listQuery = z.object({ status: z.enum(IMPORT_STATUSES).optional(), ...pageQuery.shape });

const reportQuery = z.object({
  view: z.enum(['full', 'summary']).default('full').meta({
    description: '`summary` leaves the products out: to be polled while a large import is under way',
  }),
});

export function packageImportRoutes({ database, reportMemory, version }: GatewayDependencies) {
  const snapshotOf = createSnapshots(database.reports, reportMemory);
  const reads = createReadTrail(database.auditTrail);
  return [
    defineRoute({
      method: 'get',
      path: '/regulator/package-imports',
      operationId: 'getPackageImports',
      tag: 'Package imports',
      summary: 'List imports, newest first',
      permission: PERMISSIONS.readImports,
      query: listQuery,
      answers: {
        200: {
          description: 'One page',
          data: z.object({ imports: z.array(importSummary), next_before: nextBefore }),
        },
      },
      async handle({ caller, query: { status, limit, before } }) {
        const clientId = isOperator(caller) ? undefined : caller.clientId;
        const records = await database.imports.list({ clientId, status }, { limit: limit + 1, before });
        const { page, next_before } = pageOf(records, limit);
        await reads.note(caller, null, { action: 'import.list_read' });
        const counts = await database.submissions.countByStatus(page.map(({ id }) => id));
        const imports = page.map((record) =>
          presentSummary(record, counts.get(record.id) ?? zeroStatusCounts()),
        );
        return { message: 'Package imports.', data: { imports, next_before } };
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
          const counts = await database.submissions.countByStatus([id]);
          const data = presentSummary(record, counts.get(id) ?? zeroStatusCounts());
          return { message: 'Package import.', data };
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
