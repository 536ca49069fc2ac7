/** For information: the inserts of the same products as plain jobs of a queue, on the same machine, in turns with ours. */

import { say } from '../../test/support/script.ts';
import type { Reading } from '../figure.ts';
import { type ImportTimes, importOf, type Measure } from '../measure.ts';
import { CAN_MEASURE_CPU, cpuOf, pidOf } from '../processes.ts';
import { missingFor, QUEUES } from '../queues/kinds.ts';
import type { ProductJob } from '../queues/product-job.ts';
import type { QueueKind } from '../queues/queue.ts';
import { type StartedQueue, startQueue } from '../queues/start-queue.ts';
import type { Service } from '../service.ts';

/** Products after which everything is loaded, compiled and connected. */
const WARM_UP = 20;

/** Milliseconds of CPU by process. */
type Cpu = Record<string, number>;

export const sideBySide: Measure = {
  name: 'side-by-side',

  async missing() {
    const parts = await Promise.all(
      QUEUES.map(async (kind) => {
        const missing = await missingFor(kind);
        return missing.length === 0 ? [] : [{ name: kind.name, reason: `missing: ${missing.join('; ')}` }];
      }),
    );
    return { parts: parts.flat(), isAll: parts.every(({ length }) => length > 0) };
  },

  async prepare(service, { products }) {
    const queues: { kind: QueueKind; queue: StartedQueue }[] = [];
    const close = async () => {
      for (const { queue } of queues.splice(0).reverse()) await queue.stop();
    };
    try {
      const { importId } = await importOf(service, Math.min(products, WARM_UP));
      const jobs = await jobsOf(service, importId);
      for (const kind of QUEUES) {
        if ((await missingFor(kind)).length > 0) continue;
        const queue = await startQueue(kind, service);
        queues.push({ kind, queue });
        await queue.insertAll(jobs);
      }
    } catch (error) {
      await close();
      throw error;
    }
    return {
      async round() {
        const own = await pidsOf(service, ['worker', 'Temporal', 'PostgreSQL']);
        const { cpu, result: ours } = await withCpu(own, products, () => importOf(service, products));
        tell('the service', cpu);
        const jobs = await jobsOf(service, ours.importId);
        const readings: Reading[] = [];
        for (const { kind, queue } of queues) {
          const pids = { ...queue.pids, ...(await pidsOf(service, ['PostgreSQL'])) };
          const theirs = await withCpu(pids, products, () => queue.insertAll(jobs));
          tell(kind.name, theirs.cpu);
          readings.push(...speedReadings(kind, products, ours, theirs.result));
          if (CAN_MEASURE_CPU) readings.push(cpuReading(kind, cpu, theirs.cpu));
        }
        return readings;
      },
      close,
    };
  },
};

function speedReadings({ name }: QueueKind, products: number, ours: ImportTimes, seconds: number): Reading[] {
  const floorIs = `${name}: one job per product, the same calls, a statement after each step; nothing is read or reported`;
  const reading = (what: string, value: number): Reading => ({
    name: `products per second ${what}, against ${name}`,
    unit: '/s',
    value,
    floor: products / seconds,
    floorIs,
  });
  return [
    reading('from the upload on', products / ours.wholeSeconds),
    reading('from the answer on', ours.insertedPerSecond),
  ];
}

function cpuReading({ name, usesRedis }: QueueKind, ours: Cpu, theirs: Cpu): Reading {
  const sum = (cpu: Cpu) => Object.values(cpu).reduce((all, some) => all + some, 0);
  return {
    name: `CPU of a product, against ${name}`,
    unit: 'ms',
    value: sum(ours),
    floor: sum(theirs),
    floorIs: `ours: worker, Temporal, PostgreSQL; ${name}: worker, ${usesRedis ? 'Redis, ' : ''}PostgreSQL`,
  };
}

/** What the service has sent for each product of an import, as it stands in its database. */
async function jobsOf(service: Service, importId: number): Promise<ProductJob[]> {
  return service.database.sql<ProductJob>(
    `select s.uuid as reference, s.product_id as "productId", s.product_type_code as "productType",
            s.submission_type_code as "submissionType",
            case when u.id is null then s.sections
                 else jsonb_set(s.sections, '{init_validate,SubmitterDetails}', u.details) end as sections
     from submission s left join submitter u on u.id = s.submitter_row_id
     where s.zip_import_id = ? order by s.id`,
    [importId],
  );
}

async function pidsOf(
  service: Service,
  parts: readonly ('worker' | 'Temporal' | 'PostgreSQL')[],
): Promise<Record<string, number>> {
  if (!CAN_MEASURE_CPU) return {};
  return Object.fromEntries(
    await Promise.all(parts.map(async (part) => [part, await pidOf(service.pid, part)] as const)),
  );
}

/** With the milliseconds of CPU that each process takes per product meanwhile; none where they cannot be measured. */
async function withCpu<T>(
  pids: Readonly<Record<string, number>>,
  products: number,
  work: () => Promise<T>,
): Promise<{ cpu: Cpu; result: T }> {
  const now = async () => (CAN_MEASURE_CPU ? Promise.all(Object.values(pids).map((pid) => cpuOf(pid))) : []);
  const before = await now();
  const result = await work();
  const after = await now();
  const cpu = Object.keys(pids).map((name, index) => [
    name,
    ((after[index] ?? 0) - (before[index] ?? 0)) / products,
  ]);
  return { cpu: CAN_MEASURE_CPU ? Object.fromEntries(cpu) : {}, result };
}

function tell(who: string, cpu: Cpu): void {
  const parts = Object.entries(cpu).map(([name, milliseconds]) => `${name} ${milliseconds.toFixed(0)} ms`);
  if (parts.length > 0) say(`  CPU of a product, ${who}: ${parts.join(', ')}`);
}
