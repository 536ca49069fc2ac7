/** Whether what a process needs is there: checks with names, all asked at the same time. */
import pTimeout from 'p-timeout';
import { messageOf } from '../domain/errors.ts';

/** Each rejects with the reason why something cannot be used. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface CheckResults {
  ok: boolean;
  /** By name: `ok`, or what is wrong. */
  checks: Record<string, string>;
}

const CHECK_TIMEOUT_MS = 3_000;

export async function runChecks(checks: Checks): Promise<CheckResults> {
  const names = Object.keys(checks);
  const outcomes = await Promise.all(Object.values(checks).map(outcomeOf));
  return {
    ok: outcomes.every((outcome) => outcome === 'ok'),
    checks: Object.fromEntries(names.map((name, index) => [name, outcomes[index] ?? 'ok'])),
  };
}

async function outcomeOf(check: () => Promise<void>): Promise<string> {
  try {
    await pTimeout(check(), { milliseconds: CHECK_TIMEOUT_MS, message: 'no answer in time' });
    return 'ok';
  } catch (error) {
    return messageOf(error);
  }
}
