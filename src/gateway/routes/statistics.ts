/** Numbers over many imports, by day and client. */
import { z } from 'zod';
import type { DayOfClient } from '../../database/repositories/statistics.ts';
import { IMPORT_STATUSES } from '../../domain/package-import.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import { FAILURE_KINDS, PRODUCT_OUTCOMES } from '../../domain/statistics.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { FORBIDDEN, listedClient } from '../ownership.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';
import { day, IN_ORDER, pageQuery, plainText } from '../schemas/common.ts';
import { statistics, WAITING_CLIENTS } from '../schemas/statistics.ts';

const DAY_LENGTH = '2026-01-31'.length;

const statisticsQuery = z
  .object({
    from: day.optional().meta({ description: 'The first day of uploads, UTC' }),
    to: day.optional().meta({ description: 'The last day of uploads, UTC' }),
    by: z.enum(['day']).default('day').meta({ description: 'One line for each day and client' }),
    client_id: plainText
      .optional()
      .meta({ description: "Only of this client; another's than one's own is for operators" }),
    limit: pageQuery.shape.limit,
    before: plainText
      .refine((text) => text[DAY_LENGTH] === '/' && day.safeParse(text.slice(0, DAY_LENGTH)).success, {
        error: 'must be `next_before` of a page',
      })
      .transform((text) => ({ day: text.slice(0, DAY_LENGTH), clientId: text.slice(DAY_LENGTH + 1) }))
      .optional()
      .meta({ description: 'Goes on behind this line: `next_before` of the last page' }),
  })
  .refine(({ from, to }) => !(from && to && from > to), IN_ORDER);

export function statisticsRoute({ database }: Pick<GatewayDependencies, 'database'>) {
  const reads = createReadTrail(database.auditTrail);
  return defineRoute({
    method: 'get',
    path: '/regulator/statistics',
    operationId: 'getStatistics',
    tag: 'Statistics',
    summary: 'What became of the imports of each day and client, newest first',
    description:
      'A day is that of the upload, UTC: its line tells what has become of its imports until `counted_at`. Today and yesterday ' +
      'are counted every few minutes, the 90 days before them every night, older ones stay as they are.',
    permission: PERMISSIONS.readImports,
    query: statisticsQuery,
    answers: {
      200: {
        description: 'One page',
        data: statistics,
      },
    },
    errors: { 403: FORBIDDEN },
    async handle({ caller, query: { from, to, before, limit, client_id } }) {
      const clientId = listedClient(caller, client_id);
      const rows = await database.statistics.list({ clientId, from, to, before }, limit + 1);
      const waiting = before ? null : await database.statistics.waiting(clientId, WAITING_CLIENTS);
      await reads.note(caller, clientId ?? null, { action: 'statistics.read' });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const next_before = rows.length > limit && last ? `${last.day}/${last.clientId}` : null;
      const waiting_now =
        waiting?.map(({ clientId: client_id, ...counts }) => ({ client_id, ...counts })) ?? null;
      const data = { statistics: page.map(present), waiting_now, next_before };
      return { message: 'Statistics.', data };
    },
  });
}

function present(line: DayOfClient) {
  const { insertP50Seconds: p50, insertP95Seconds: p95 } = line;
  return {
    day: line.day,
    client_id: line.clientId,
    imports: numbersOf(IMPORT_STATUSES, line.imports),
    products: numbersOf(PRODUCT_OUTCOMES, line.products),
    failures: numbersOf(FAILURE_KINDS, line.failures),
    insert_seconds: p50 === null || p95 === null ? null : { p50, p95 },
    received_bytes: line.receivedBytes,
    counted_at: line.countedAt.toISOString(),
  };
}

/** A number for each: what was not there when a line was counted is none. */
function numbersOf<Name extends string>(names: readonly Name[], counts: Partial<Record<Name, number>>) {
  return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<Name, number>;
}
