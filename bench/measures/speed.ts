/** Measures the rate of inserts: on an idle service, in a large import, and with a slow regulator. */
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { type Reading, reading, seconds } from '../figure.ts';
import { startNoOpChildren } from '../floor/children.ts';
import { importOf, type Measure } from '../measure.ts';
import type { Service } from '../service.ts';

/** The floor is children on the same Temporal server that do nothing six times. */
export const speed: Measure = {
  name: 'speed',
  async prepare(service, { products }) {
    const children = await startNoOpChildren(service);
    await importOf(service, Math.min(products, 20));
    const activities = INSERT_STEPS.length;
    return {
      async round() {
        const floor = await seconds(() => children.run({ children: products, activities, untilEnded: true }));
        const { wholeSeconds } = await importOf(service, products);
        const name = 'products per second, from the upload to the last insert';
        return [
          reading(name, '/s', products / wholeSeconds, {
            floor: products / floor,
            floorIs: `children with ${activities} activities that do nothing, on the same server`,
            target: { of: 'ratio', atLeast: 0.9 },
          }),
        ];
      },
      close: () => children.stop(),
    };
  },
};

/**
 * Measures whether a product costs more in a large import: its part of the answer, and its insert while many others
 * wait.
 */
export const waiting: Measure = {
  name: 'waiting',
  async prepare(service, { products, waiting: many }) {
    await importOf(service, Math.min(products, 20));
    return {
      async round() {
        const few = await importOf(service, products);
        const all = await importOf(service, many);
        return [
          reading(`products per second with ${many} waiting`, '/s', all.insertedPerSecond, {
            floor: few.insertedPerSecond,
            floorIs: `an import of ${products} products, likewise from the answer to the last insert`,
            target: { of: 'ratio', atLeast: 0.9 },
          }),
          reading(`answer per product for ${many} products`, 'ms', (all.answeredAfter * 1000) / many, {
            floor: (few.answeredAfter * 1000) / products,
            floorIs: `one of ${products} products`,
            target: { of: 'ratio', atMost: 1 },
          }),
        ];
      },
    };
  },
};

/** The default of `REGULATOR_CONCURRENCY`, set here so that another default does not change the measure. */
const CONCURRENCY = 20;
/** One opens the case, and each step sends its section. Packages of the bench have no attachments. */
const CALLS = 1 + INSERT_STEPS.length;
/** Duration of a call, and the share of the products that the regulator allows which the service should reach. */
const REGULATORS = [
  { callMs: 50, atLeast: 0.8 },
  { callMs: 200, atLeast: 0.95 },
  { callMs: 1_000, atLeast: 0.95 },
];

/** Measures whether the service uses all calls that a slow regulator allows. */
export const latency: Measure = {
  name: 'latency',
  env: { REGULATOR_CONCURRENCY: String(CONCURRENCY) },
  async prepare(service, { products }) {
    await importOf(service, Math.min(products, 20));
    return {
      async round() {
        const readings: Reading[] = [];
        for (const { callMs, atLeast } of REGULATORS) {
          await slowDown(service, callMs);
          const { insertedPerSecond } = await importOf(service, products);
          const name = `products per second with a regulator that takes ${callMs} ms`;
          readings.push(
            reading(name, '/s', insertedPerSecond, {
              floor: (CONCURRENCY * 1000) / CALLS / callMs,
              floorIs: `computed: ${CALLS} calls per product, ${CONCURRENCY} at a time`,
              target: { of: 'ratio', atLeast },
            }),
          );
        }
        return readings;
      },
    };
  },
};

/** Sets the time that the simulator takes for each call. */
async function slowDown(service: Service, callMs: number): Promise<void> {
  const answer = await fetch(`${service.config.regulator.url}/control/behaviour`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ latency_ms: callMs }),
  });
  if (!answer.ok) throw new Error(`The simulator answered ${answer.status}`);
}
