/** Measures the rate of inserts: on an idle service, with many waiting products, and with a slow regulator. */
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { reading, seconds } from '../figure.ts';
import { startNoOpChildren } from '../floor/children.ts';
import { importOf, type Measure } from '../measure.ts';

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

/** Measures whether an insert costs more while many others wait. */
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
        ];
      },
    };
  },
};

const LATENCY_MS = 50;
const CONCURRENCY = 16;

/** Measures whether the service uses all calls that the regulator allows. */
export const latency: Measure = {
  name: 'latency',
  env: { REGULATOR_CONCURRENCY: String(CONCURRENCY) },
  async prepare(service, { products }) {
    await importOf(service, Math.min(products, 20));
    const answer = await fetch(`${service.config.regulator.url}/control/behaviour`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ latency_ms: LATENCY_MS }),
    });
    if (!answer.ok) throw new Error(`The simulator answered ${answer.status}`);
    return {
      async round() {
        const { insertedPerSecond } = await importOf(service, products);
        return [
          reading(`an insert with a regulator that takes ${LATENCY_MS} ms`, 'ms', 1000 / insertedPerSecond, {
            floor: (INSERT_STEPS.length * LATENCY_MS) / CONCURRENCY,
            floorIs: `computed: ${INSERT_STEPS.length} calls, ${CONCURRENCY} at a time`,
            target: { of: 'ratio', atMost: 1.25 },
          }),
        ];
      },
    };
  },
};
