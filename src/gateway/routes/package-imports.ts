/** Reading imports. */
import { z } from 'zod';
import { IMPORT_STATUSES } from '../../domain/package-import.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { isOperator, ownedBy } from '../ownership.ts';
import { presentReport, presentSummary } from '../presenters/package-import.ts';
import { defineRoute } from '../route.ts';
import { idParams } from '../schemas/common.ts';
import { importReport, importSummary } from '../schemas/package-import.ts';

const PAGE = 50;
const MAX_PAGE = 200;

const listQuery = z.object({
  status: z.enum(IMPORT_STATUSES).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
  before: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: 'Only imports with a smaller id: `next_before` of the last page' }),
});

export function packageImportRoutes({ database }: GatewayDependencies) {
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
          data: z.object({ imports: z.array(importSummary), next_before: z.int().nullable() }),
        },
      },
      async handle({ caller, query: { status, limit, before } }) {
        const clientId = isOperator(caller) ? undefined : caller.clientId;
        const records = await database.imports.list({ clientId, status }, { limit: limit + 1, before });
        const page = records.slice(0, limit);
        const next_before = records.length > limit ? (page.at(-1)?.id ?? null) : null;
        return { message: 'Package imports.', data: { imports: page.map(presentSummary), next_before } };
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
      answers: { 200: { description: 'The import', data: importReport } },
      errors: { 404: 'No such import, or not yours' },
      async handle({ caller, params: { id } }) {
        const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
        const report = await database.imports.report(id);
        const superseded = await database.submissions.superseded(report.submissions);
        return { message: 'Package import.', data: presentReport(record, report, superseded) };
      },
    }),
  ];
}
