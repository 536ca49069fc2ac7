/**
 * Examples for the description of the API: answers that the real service has given, with what differs each time made
 * equal. `npm test -- test/end-to-end/api-examples.test.ts -u` writes them anew.
 */
import recorded from './api-examples.json' with { type: 'json' };

/** By operation and status; those of `EVERY_OPERATION` are of every operation that has the status. By name: an error's is its code. */
type Recorded = Record<string, Record<string, Record<string, unknown>>>;

export const EVERY_OPERATION = '*';

/** @returns undefined where there is none */
export function examplesOf(operationId: string, status: number) {
  const all: Recorded = recorded;
  const own = all[operationId]?.[status];
  if (own) return Object.fromEntries(Object.entries(own).map(([name, value]) => [name, { value }]));
  const common = all[EVERY_OPERATION]?.[status];
  if (!common) return undefined;
  return Object.fromEntries(
    Object.keys(common).map((name) => [name, { $ref: `#/components/examples/${name}` }]),
  );
}

/** Those that are of every operation, by name. */
export function commonExamples() {
  const all: Recorded = recorded;
  const named = Object.values(all[EVERY_OPERATION] ?? {}).flatMap((examples) => Object.entries(examples));
  return Object.fromEntries(named.map(([name, value]) => [name, { value }]));
}
