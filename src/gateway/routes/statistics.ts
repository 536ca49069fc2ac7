/** Statistics over imports by day or hour and client, and the storage that clients use. */
import { MAX_CLIENTS } from '../../contract/limits.ts';
import { getStatistics, getStored, named, nameOf } from '../../contract/schemas/statistics.ts';
import { FAILURE_KINDS, IMPORT_STATUSES, PRODUCT_OUTCOMES } from '../../contract/statuses.ts';
import type { StatisticsLine } from '../../database/repositories/statistics.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { listedFor } from '../ownership.ts';
import { defineRoute } from '../route.ts';

export function statisticsRoutes({ database, readAudit }: GatewayDependencies) {
  return [
    defineRoute({
      ...getStatistics,
      async handle({ caller, query: { by, from, to, before, limit, client_id } }) {
        const owner = listedFor(caller, client_id);
        if (!before && reachesToday(to)) await database.statistics.countToday();
        const rows = await database.statistics.lines(by, { ...owner, before, from, to }, limit + 1);
        const waiting = before ? null : await database.statistics.waiting(owner, MAX_CLIENTS);
        await readAudit.note(caller, owner.clientId ?? null, { action: 'statistics.read' });
        const page = rows.slice(0, limit);
        const last = page.at(-1);
        const next_before = rows.length > limit && last ? nameOf(last, by) : null;
        const waiting_now =
          waiting?.map(({ clientId: client_id, ...counts }) => ({ client_id, ...counts })) ?? null;
        const data = { statistics: page.map(present), waiting_now, next_before };
        return { message: 'Statistics.', data };
      },
    }),
    defineRoute({
      ...getStored,
      async handle({ caller, query: { client_id } }) {
        const owner = listedFor(caller, client_id);
        const rows = await database.statistics.stored(owner, MAX_CLIENTS);
        await readAudit.note(caller, owner.clientId ?? null, { action: 'statistics.read' });
        const presented = rows.map((row) => ({
          client_id: row.clientId,
          packages: row.packages,
          package_bytes: row.packageBytes,
          attachment_bytes: row.attachmentBytes,
        }));
        return { message: 'Stored packages.', data: { stored: presented } };
      },
    }),
  ];
}

/** @param to the last day, as `2026-01-31`; absent for no end */
const reachesToday = (to: string | undefined): boolean =>
  to === undefined || to >= new Date().toISOString().slice(0, 10);

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

/** A number for each name; 0 for a name that did not exist when the line was counted. */
function numbersOf<Name extends string>(names: readonly Name[], counts: Partial<Record<Name, number>>) {
  return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<Name, number>;
}
