/** The parts that each program uses. Its configuration is checked for these, so a process needs no secrets of the others. */
import type { WorkerRole } from '../domain/task-queues.ts';

/** `encryption`: the regulator session and the secrets of webhooks, encrypted in the database. */
const PARTS = ['database', 'temporal', 'auth', 'regulator', 'encryption', 'mail'] as const;

export type Part = (typeof PARTS)[number];

/** `whole service` is `npm start`. A trial part is the simulator or the identity service as a process. */
export type Program = 'whole service' | 'gateway' | 'worker' | 'migration' | 'trial part';

/** Reading has no more than every worker: it opens files of strangers. */
const OF_ROLE: Record<WorkerRole, readonly Part[]> = {
  'package-import': ['database', 'temporal', 'regulator', 'encryption', 'mail'],
  'package-reading': ['database', 'temporal'],
  'regulator-insert': ['database', 'temporal', 'regulator', 'encryption'],
};

const OF_PROGRAM: Record<Exclude<Program, 'worker'>, readonly Part[]> = {
  'whole service': PARTS,
  gateway: ['database', 'temporal', 'auth', 'regulator', 'encryption'],
  migration: ['database'],
  'trial part': [],
};

/** @param roles of a worker */
export function partsOf(program: Program, roles: readonly WorkerRole[]): ReadonlySet<Part> {
  return new Set(program === 'worker' ? roles.flatMap((role) => OF_ROLE[role]) : OF_PROGRAM[program]);
}
