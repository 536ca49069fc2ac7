/** The resources that a service uses for some work: transactions, statements, space, and CPU of each of its processes. */
import type { DatabaseCounts } from './database.ts';
import { CAN_MEASURE_CPU, cpuOf, type Part, pidOf } from './processes.ts';
import type { Service } from './service.ts';

export const PARTS: readonly Part[] = ['worker', 'Temporal', 'gateway', 'PostgreSQL'];

export interface Usage extends DatabaseCounts {
  seconds: number;
  /** Milliseconds; null when they cannot be measured. */
  cpu: Record<Part, number> | null;
}

/** Measures from the start of the work until every database connection has reported its statistics. */
export async function usageOf(service: Service, work: () => Promise<void>): Promise<Usage> {
  const before = await stateOf(service);
  await work();
  const after = await stateOf(service);
  const difference = (of: (usage: Usage) => number) => of(after) - of(before);
  return {
    seconds: difference(({ seconds }) => seconds),
    transactions: difference(({ transactions }) => transactions),
    statements: after.statements === null ? null : difference(({ statements }) => statements ?? 0),
    bytes: difference(({ bytes }) => bytes),
    cpu: after.cpu && (await perPart(async (part) => difference(({ cpu }) => cpu?.[part] ?? 0))),
  };
}

/** The usage without the share that the idle service uses in the same time. */
export function beyondIdle(usage: Usage, idle: Usage, of: (usage: Usage) => number): number {
  return of(usage) - (of(idle) / idle.seconds) * usage.seconds;
}

async function stateOf({ pid, database }: Service): Promise<Usage> {
  return {
    ...(await database.counts()),
    cpu: CAN_MEASURE_CPU ? await perPart(async (part) => cpuOf(await pidOf(pid, part))) : null,
    seconds: performance.now() / 1000,
  };
}

async function perPart(of: (part: Part) => Promise<number>): Promise<Record<Part, number>> {
  const [worker = 0, Temporal = 0, gateway = 0, PostgreSQL = 0] = await Promise.all(PARTS.map(of));
  return { worker, Temporal, gateway, PostgreSQL };
}
