/** Numbers over many imports, by day or hour and client, and what is stored of them. */
import { z } from 'zod';
import type { Before, Span, StatisticsLine } from '../../database/repositories/statistics.ts';
import { IMPORT_STATUSES } from '../../domain/package-import.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import { FAILURE_KINDS, PRODUCT_OUTCOMES } from '../../domain/statistics.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { FORBIDDEN, listedClient } from '../ownership.ts';
import { createReadTrail, type ReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';
import { day, IN_ORDER, pageQuery, plainText } from '../schemas/common.ts';
import { MOST_CLIENTS, statistics, stored } from '../schemas/statistics.ts';

const DAY_MS = 86_400_000;
/** Hours are counted while somebody waits for them. */
const DAYS_OF_HOURS = 3;
/** How much of a time in ISO 8601 names its day, or its hour. */
const NAMED_BY = { day: 'yyyy-mm-dd'.length, hour: 'yyyy-mm-ddThh'.length } satisfies Record<Span, number>;
/** `2026-01-31/client`, and of hours `2026-01-31T13/client`. */
const LINE = /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]))?\/(.*)$/s;

const clientQuery = plainText
  .optional()
  .meta({ description: "Only of this client; another's than one's own is for operators" });

const statisticsQuery = z
  .object({
    from: day.optional().meta({ description: 'The first day of uploads, UTC' }),
    to: day.optional().meta({ description: 'The last day of uploads, UTC' }),
    by: z
      .enum(['day', 'hour'])
      .default('day')
      .meta({
        description: `One line for each day, or hour, and client; hours of ${DAYS_OF_HOURS} days at the most, of today where no day is given`,
      }),
    client_id: clientQuery,
    limit: pageQuery.shape.limit,
    before: plainText
      .refine((text) => day.safeParse(LINE.exec(text)?.[1]).success, {
        error: 'must be `next_before` of a page',
      })
      .transform(lineNamed)
      .optional()
      .meta({ description: 'Goes on behind this line: `next_before` of the last page' }),
  })
  .refine(({ from, to }) => !(from && to && from > to), IN_ORDER)
  .refine(({ by, from, to }) => by === 'day' || daysBetween(daysOfHours(from, to)) < DAYS_OF_HOURS, {
    error: `hours are counted of ${DAYS_OF_HOURS} days at the most`,
    path: ['from'],
  });

export function statisticsRoutes({ database }: Pick<GatewayDependencies, 'database'>) {
  const reads = createReadTrail(database.auditTrail);
  return [statisticsRoute(database, reads), storedRoute(database, reads)];
}

function statisticsRoute(database: GatewayDependencies['database'], reads: ReadTrail) {
  return defineRoute({
    method: 'get',
    path: '/regulator/statistics',
    operationId: 'getStatistics',
    tag: 'Statistics',
    summary: 'What became of the imports of each day or hour and client, newest first',
    description:
      'A day is that of the upload, UTC: its line tells what has become of its imports until `counted_at`. Today and yesterday ' +
      'are counted every few minutes, the 90 days before them every night, older ones stay as they are. Hours are counted when ' +
      'they are asked for.',
    permission: PERMISSIONS.readImports,
    query: statisticsQuery,
    answers: {
      200: {
        description: 'One page',
        data: statistics,
      },
    },
    errors: { 403: FORBIDDEN },
    async handle({ caller, query: { by, from, to, before, limit, client_id } }) {
      const clientId = listedClient(caller, client_id);
      const rows = await (by === 'hour'
        ? database.statistics.hours({ clientId, before, ...daysOfHours(from, to) }, limit + 1)
        : database.statistics.days({ clientId, before, from, to }, limit + 1));
      const waiting = before ? null : await database.statistics.waiting(clientId, MOST_CLIENTS);
      await reads.note(caller, clientId ?? null, { action: 'statistics.read' });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const next_before = rows.length > limit && last ? nameOf(last, by) : null;
      const waiting_now =
        waiting?.map(({ clientId: client_id, ...counts }) => ({ client_id, ...counts })) ?? null;
      const data = { statistics: page.map(present), waiting_now, next_before };
      return { message: 'Statistics.', data };
    },
  });
}

function storedRoute(database: GatewayDependencies['database'], reads: ReadTrail) {
  return defineRoute({
    method: 'get',
    path: '/regulator/statistics/stored',
    operationId: 'getStored',
    tag: 'Statistics',
    summary: 'What is stored of the packages of each client, now',
    description: 'Retention removes packages; an attachment may stay longer, and is then in no number.',
    permission: PERMISSIONS.readImports,
    query: z.object({ client_id: clientQuery }),
    answers: { 200: { description: 'What is stored', data: stored } },
    errors: { 403: FORBIDDEN },
    async handle({ caller, query: { client_id } }) {
      const clientId = listedClient(caller, client_id);
      const rows = await database.statistics.stored(clientId, MOST_CLIENTS);
      await reads.note(caller, clientId ?? null, { action: 'statistics.read' });
      const presented = rows.map((row) => ({
        ...{ client_id: row.clientId, packages: row.packages },
        ...{ package_bytes: row.packageBytes, attachment_bytes: row.attachmentBytes },
      }));
      return { message: 'What is stored.', data: { stored: presented } };
    },
  });
}

/** The days whose hours are asked for: today, where nothing is said. */
function daysOfHours(from: string | undefined, to: string | undefined): { from: string; to: string } {
  const last = to ?? from ?? named(new Date(), 'day');
  return { from: from ?? last, to: last };
}

const daysBetween = ({ from, to }: { from: string; to: string }) =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** `2026-01-31`, or `2026-01-31T13`: UTC. */
const named = (time: Date, span: Span) => time.toISOString().slice(0, NAMED_BY[span]);

/** How the next page is asked for, and how that is read. */
function nameOf({ beginsAt, clientId }: Before, span: Span): string {
  return `${named(beginsAt, span)}/${clientId}`;
}

function lineNamed(name: string): Before {
  const [, day = '', hour = '00', clientId = ''] = LINE.exec(name) ?? [];
  return { beginsAt: new Date(`${day}T${hour}:00:00Z`), clientId };
}

function present(line: StatisticsLine) {
  const { insertP50Seconds: p50, insertP95Seconds: p95 } = line;
  return {
    day: named(line.beginsAt, 'day'),
    begins_at: line.beginsAt.toISOString(),
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
