/** The resources that a service uses for some work: transactions, statements, space, and CPU of each of its processes. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { descendantsOf } from '../test/support/process-tree.ts';
import type { DatabaseCounts } from './database.ts';
import type { Service } from './service.ts';

const run = promisify(execFile);

/** The processes of a service, by their command lines. */
const COMMANDS = {
  gateway: /processes\/gateway\.ts/,
  worker: /processes\/worker\.ts/,
  Temporal: /server start-dev/,
  PostgreSQL: /postgres.* -D /,
} as const;

export type Part = keyof typeof COMMANDS;

/** Only Linux has such files: CPU is not measured on other systems. */
export const CAN_MEASURE_CPU = existsSync('/proc/self/stat');

/** @throws Error when the part does not run below that process */
export async function pidOf(root: number, part: Part): Promise<number> {
  const found = (await descendantsOf(root)).find(({ command }) => COMMANDS[part].test(command));
  if (!found) throw new Error(`No ${part} is running`);
  return found.pid;
}

/**
 * CPU time in milliseconds of a process and all its descendants since their start, ended ones included. Linux
 * only.
 */
export async function cpuOf(pid: number): Promise<number> {
  const tree = [{ pid }, ...(await descendantsOf(pid))];
  const ticks = await Promise.all(tree.map(({ pid: one }) => ticksOf(one)));
  return (ticks.reduce((sum, some) => sum + some, 0) * 1000) / (await ticksPerSecond());
}

/** Own time in user and system mode, and that of children that have ended and were waited for. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses, which may contain blanks. Fields are counted from
  // the third one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

let clock: Promise<number> | undefined;

function ticksPerSecond(): Promise<number> {
  clock ??= run('getconf', ['CLK_TCK']).then(({ stdout }) => Number(stdout));
  return clock;
}

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
    statements: difference(({ statements }) => statements),
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
