/** Measures the cost of one inserted product: in Temporal, in the database, in space, and in CPU of every process. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { insertWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import { say } from '../../test/support/script.ts';
import { type Reading, reading } from '../figure.ts';
import { type NoOpChildren, startNoOpChildren } from '../floor/children.ts';
import { countsOf, type RunCounts } from '../histories.ts';
import { type Measure, requireInserted, uploadProducts } from '../measure.ts';
import type { Service } from '../service.ts';
import { beyondIdle, CAN_MEASURE_CPU, cpuOf, PARTS, type Part, pidOf, usageOf } from '../usage.ts';

/** Number of inserts whose histories are read. */
const SAMPLE = 20;
/** The report lists statements that run at least this often per product. */
const WORTH_TELLING = 0.5;
const CHILD = 'a child workflow with six activities that do nothing';
/** Upper limits, in milliseconds of CPU per product. */
const CPU_TARGETS: Partial<Record<Part, number>> = { worker: 70, Temporal: 50 };
/** One commit for each step, and one each for the start and the end of the insert. */
const FEWEST_TRANSACTIONS = INSERT_STEPS.length + 2;

export const cost: Measure = {
  name: 'cost',
  countStatements: true,
  async prepare(service, { products }) {
    const children = await startNoOpChildren(service);
    // A first import fills caches and opens connections: this cost belongs to no product.
    await service.ended((await uploadProducts(service, SAMPLE)).importId);
    const idle = await usageOf(service, async () => {});
    const round = async (): Promise<Reading[]> => {
      const floor = await floorOf(service, children, products);
      const archivedBefore = await archivedBytes(service);
      const callsBefore = await service.database.calls();
      let importId = 0;
      const usage = await usageOf(service, async () => {
        ({ importId } = await uploadProducts(service, products));
        await service.ended(importId);
      });
      await requireInserted(service, importId, products);
      tellCalls(callsBefore, await service.database.calls(), products);
      const archived = (await archivedBytes(service)) - archivedBefore;
      const each = (of: Parameters<typeof beyondIdle>[2]) => beyondIdle(usage, idle, of) / products;
      return [
        ...(await temporalReadings(service, importId, floor.counts, products)),
        reading(
          'database transactions',
          '',
          each(({ transactions }) => transactions),
          {
            floor: FEWEST_TRANSACTIONS,
            floorIs: 'counted, not measured: one for each step, one before the first and one after the last',
            target: { of: 'value', atMost: 14 },
          },
        ),
        reading(
          'database statements',
          '',
          each(({ statements }) => statements),
        ),
        reading('space in the database', 'B', usage.bytes / products),
        reading('space in the archive', 'B', archived / products),
        ...(usage.cpu ? PARTS : []).map((part) =>
          cpuReading(
            part,
            each(({ cpu }) => cpu?.[part] ?? 0),
            floor.cpu[part] ?? null,
          ),
        ),
      ];
    };
    return { round, close: () => children.stop() };
  },
};

async function temporalReadings(
  service: Service,
  importId: number,
  floor: RunCounts,
  products: number,
): Promise<Reading[]> {
  const { rows } = await sql<{ productId: string }>`
    select product_id as "productId" from submission where zip_import_id = ${importId} order by id limit ${SAMPLE}
  `.execute(service.database.kysely);
  const inserts = await Promise.all(
    rows.map(({ productId }) => countsOf(service, insertWorkflowId(productId))),
  );
  const mean = (of: (counts: RunCounts) => number) =>
    inserts.reduce((sum, counts) => sum + of(counts), 0) / inserts.length;
  const parent = await countsOf(
    service,
    packageImportWorkflowId(await service.database.importUuid(importId)),
  );
  const ofInsert = (name: string, of: (counts: RunCounts) => number, more: Partial<Reading> = {}) =>
    reading(name, '', mean(of), { floor: of(floor), floorIs: CHILD, ...more });
  const ofParent = (name: string, of: (counts: RunCounts) => number) =>
    reading(name, '', of(parent) / products);
  const atMost = (most: number): Partial<Reading> => ({ target: { of: 'value', atMost: most } });
  return [
    ofInsert('history events of an insert', ({ events }) => events, atMost(14)),
    ofInsert('state transitions of an insert', ({ transitions }) => transitions, atMost(6)),
    ofInsert('billed actions of an insert', ({ actions }) => actions),
    ofInsert('history bytes of an insert', ({ bytes }) => bytes, { unit: 'B' }),
    ofParent('state transitions of its import, per product', ({ transitions }) => transitions),
    ofParent('billed actions of its import, per product', ({ actions }) => actions),
    ofParent('history bytes of its import, per product', ({ bytes }) => bytes),
  ];
}

function cpuReading(part: Part, milliseconds: number, floor: number | null): Reading {
  const atMost = CPU_TARGETS[part];
  return reading(`CPU of ${part}`, 'ms', milliseconds, {
    floor,
    floorIs: floor === null ? null : CHILD,
    ...(atMost !== undefined && { target: { of: 'value', atMost } }),
  });
}

/** Prints the statements per product, as a starting point when there are too many. */
function tellCalls(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  products: number,
): void {
  const perProduct = [...after]
    .map(([query, calls]) => ({ query, calls: (calls - (before.get(query) ?? 0)) / products }))
    .filter(({ calls }) => calls >= WORTH_TELLING)
    .sort((a, b) => b.calls - a.calls);
  for (const { query, calls } of perProduct)
    say(`  ${calls.toFixed(1).padStart(5)} × ${query.replaceAll(/\s+/g, ' ').slice(0, 140)}`);
}

/** Measures the cost of each child that does nothing, on the same server. */
async function floorOf(
  service: Service,
  children: NoOpChildren,
  count: number,
): Promise<{ counts: RunCounts; cpu: Partial<Record<Part, number>> }> {
  const cpu = async (pid: number) => (CAN_MEASURE_CPU ? cpuOf(pid) : 0);
  const server = await pidOf(service.pid, 'Temporal');
  const before = { worker: await cpu(children.pid), Temporal: await cpu(server) };
  const { firstChild } = await children.run({
    children: count,
    activities: INSERT_STEPS.length,
    untilEnded: true,
  });
  return {
    counts: await countsOf(service, firstChild),
    cpu: {
      worker: ((await cpu(children.pid)) - before.worker) / count,
      Temporal: ((await cpu(server)) - before.Temporal) / count,
    },
  };
}

async function archivedBytes({ config }: Service): Promise<number> {
  const files = await readdir(fileURLToPath(config.archive.url), { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((entry: Dirent) => entry.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
