/**
 * Examples for the OpenAPI description, recorded from the real service. Values that differ between runs are replaced by
 * fixed ones. `npm test -- test/end-to-end/api-examples.test.ts -u` records them again.
 */
import recorded from './api-examples.json' with { type: 'json' };

/**
 * Operation → status → name → example. An error's name is its code. An example of `EVERY_OPERATION` applies to every
 * operation that has the status.
 */
type Recorded = Record<string, Record<string, Record<string, unknown>>>;

export const EVERY_OPERATION = '*';

/** @returns undefined if there is none */
export function examplesOf(operationId: string, status: number) {
  const all: Recorded = recorded;
  const own = all[operationId]?.[status];
  if (own) return Object.fromEntries(Object.entries(own).map(([name, value]) => [name, { value }]));
  const common = all[EVERY_OPERATION]?.[status];
  if (!common) return undefined;
  return Object.fromEntries(
    Object.keys(common).map((name) => [name, { $ref: `#/components/examples/${shared(status, name)}` }]),
  );
}

/** The examples of `EVERY_OPERATION`, by status and name: one code may have several statuses. */
export function commonExamples() {
  const all: Recorded = recorded;
  const named = Object.entries(all[EVERY_OPERATION] ?? {}).flatMap(([status, examples]) =>
    Object.entries(examples).map(([name, value]) => [shared(status, name), { value }]),
  );
  return Object.fromEntries(named);
}

const shared = (status: number | string, name: string) => `${status}_${name}`;
