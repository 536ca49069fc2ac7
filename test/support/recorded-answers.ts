/**
 * Recorded answers of the service, by operation and status. Variable values are normalised, so the examples can be
 * checked in.
 */
import { EVERY_OPERATION } from '../../src/gateway/api-examples.ts';
import { VERSION } from '../../src/processes/shared/logger.ts';

export type Operations = Record<string, Record<string, { operationId: string }>>;

/** By operation, status and name. */
export type Recorded = Record<string, Record<string, Record<string, unknown>>>;

/**
 * @param paths of the description
 */
export function recordAnswers(paths: Operations) {
  const recorded: Recorded = {};
  const normal = normaliser();
  const operations = Object.entries(paths).map(([template, methods]) => ({
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }));

  return {
    recorded,

    /**
     * @param name of the example; an error always uses its code instead
     * @param everywhere whether every operation with this status gets the example
     */
    record(
      answer: { method: string; path: string; status: number; body: { data?: { code?: string } } },
      { name = 'answer', everywhere = false } = {},
    ): void {
      const { method, path, status, body } = answer;
      const bare = path.split('?', 1)[0] ?? path;
      const found = operations.find(({ pattern }) => pattern.test(bare))?.methods[method.toLowerCase()];
      if (!found) throw new Error(`${method} ${path} is not described`);
      const operation = everywhere ? EVERY_OPERATION : found.operationId;
      const statuses = recorded[operation] ?? {};
      const examples = statuses[status] ?? {};
      recorded[operation] = {
        ...statuses,
        [status]: { ...examples, [body.data?.code ?? name]: normal(body) },
      };
    },

    /** Text of the checked-in file, with sorted keys. */
    text: () => `${JSON.stringify(sorted(recorded), null, 2)}\n`,
  };
}

function sorted(recorded: Recorded): Recorded {
  const byName = <T>(entries: Record<string, T>): [string, T][] =>
    Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    byName(recorded).map(([operation, statuses]) => [
      operation,
      Object.fromEntries(
        byName(statuses).map(([status, examples]) => [status, Object.fromEntries(byName(examples))]),
      ),
    ]),
  );
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIMESTAMP = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g;
const STORED = /\S*\/packages\/\d{4}\/\d{2}\//g;
/** Case numbers depend on the order of the inserts, which is not fixed. */
const CASE = /CASE-\d+/g;

/** Products of the examples are first submitted in the year of the recording. */
const PRODUCT_ID = /99962-\d\d-/g;
const SECRET = /whsec_[\w+/=]+/g;
const RECEIVER = /http:\/\/127\.0\.0\.1:\d+\/hooks/g;
/** Replacements by field name: durations in seconds, and a time one day after all others. */
const NAMED: Record<string, number | string> = {
  p50: 12.5,
  p95: 41,
  previous_secret_valid_until: '2026-02-01T12:00:00.000Z',
};
/** Today's date in UTC. */
const today = () => new Date().toISOString().slice(0, 10);

/** The day on which the recording begins. It may end on the next. */
export const FIRST_DAY = today();

/** Replaces times, durations, directories, secrets and webhook receivers by fixed values, and UUIDs by counters. */
function normaliser() {
  const uuids = new Map<string, string>();
  const uuid = (found: string) => {
    const number = String(uuids.size + 1).padStart(12, '0');
    const known = uuids.get(found) ?? `00000000-0000-4000-8000-${number}`;
    uuids.set(found, known);
    return known;
  };
  const text = (value: string) =>
    (value === VERSION ? '1.0.0' : value)
      .replace(TIMESTAMP, '2026-01-31T12:00:00.000Z')
      .replace(STORED, '/var/lib/package-import/packages/2026/01/')
      .replace(CASE, 'CASE-100001')
      .replace(PRODUCT_ID, '99962-26-')
      .replace(SECRET, `whsec_${'A'.repeat(43)}=`)
      .replace(RECEIVER, 'https://hooks.company.example/package-imports')
      .replaceAll(FIRST_DAY, '2026-01-31')
      .replaceAll(today(), '2026-01-31')
      .replace(UUID, uuid);
  const value = (key: string, found: unknown) => {
    const named = NAMED[key];
    if (named !== undefined && found !== null) return named;
    return typeof found === 'string' ? text(found) : found;
  };
  return (body: unknown): unknown => JSON.parse(JSON.stringify(body), value);
}
