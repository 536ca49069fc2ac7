/** Measures how long a client waits for its answer: on an idle service, and on busy ones. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { reading, seconds } from '../figure.ts';
import { startNoOpChildren } from '../floor/children.ts';
import { type Measure, uploadProducts } from '../measure.ts';
import type { Service } from '../service.ts';
import { unzipAndParse } from './extraction.ts';

const MOST = 100;
const POLL_MS = 500;
const FLOOR_IS =
  'unzip, parse, one INSERT of the XML, start of as many children that do nothing; server idle';

export const answer: Measure = {
  name: 'answer',
  async prepare(service, { products }) {
    const size = Math.min(products, MOST);
    const { floorOf, close } = await prepareFloor(service);
    await secondsToAnswer(service, size);
    return {
      async round() {
        const floor = await floorOf(size);
        return [
          reading(`answer for ${size} products`, 's', await secondsToAnswer(service, size), {
            floor,
            floorIs: FLOOR_IS,
            target: { of: 'ratio', atMost: 1.3 },
          }),
        ];
      },
      close,
    };
  },
};

/** The floor is measured on an idle server: a server that is busy with our inserts would slow both. */
export const busy: Measure = {
  name: 'busy',
  async prepare(service, { products, background }) {
    const size = Math.min(products, MOST);
    const { floorOf, close } = await prepareFloor(service);
    await secondsToAnswer(service, size);
    return {
      async round() {
        const floor = await floorOf(size);
        const others = await uploadProducts(service, background);
        const { importId, answeredAfter } = await uploadProducts(service, size);
        await requireRunning(service, others.importId, background);
        await service.ended(others.importId);
        await service.ended(importId);
        return [
          reading(`answer for ${size} products while ${background} are inserted`, 's', answeredAfter, {
            floor,
            floorIs: FLOOR_IS,
            target: { of: 'ratio', atMost: 2 },
          }),
        ];
      },
      close,
    };
  },
};

/** The answer while inserts that waited for the end of a pause resume. */
export const resumed: Measure = {
  name: 'resumed',
  async prepare(service, { products, background }) {
    await secondsToAnswer(service, products);
    return {
      async round() {
        const floor = await secondsToAnswer(service, products);
        await service.client.call('postInsertingPause', { body: { reason: 'bench' } });
        const waiting = await uploadProducts(service, background);
        await begun(service, waiting.importId, background);
        await service.client.call('postInsertingResume');
        const resumedAt = performance.now();
        const { importId, answeredAfter } = await uploadProducts(service, products);
        await requireRunning(service, waiting.importId, background);
        await service.ended(waiting.importId);
        const rate = (background * 1000) / (performance.now() - resumedAt);
        await service.ended(importId);
        return [
          reading(`answer for ${products} products while ${background} resume`, 's', answeredAfter, {
            floor,
            floorIs: 'the same on the idle service',
            target: { of: 'ratio', atMost: 2 },
          }),
          reading(`products per second that resume, of ${background}`, '/s', rate),
        ];
      },
    };
  },
};

/** The wait of a client on the idle service. Returns when the import has ended. */
async function secondsToAnswer(service: Service, products: number): Promise<number> {
  const { importId, answeredAfter } = await uploadProducts(service, products);
  await service.ended(importId);
  return answeredAfter;
}

/** @throws Error when all products of the import are inserted already */
async function requireRunning(service: Service, importId: number, products: number): Promise<void> {
  if ((await service.inserted(importId)) >= products)
    throw new Error('The other inserts ended before the answer. Use a greater --background.');
}

/** Waits until every insert of an import has begun its first step, which waits. */
async function begun(service: Service, importId: number, products: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from submission where zip_import_id = ${importId} and current_step is not null
    `.execute(service.database.kysely);
    if (rows[0]?.n === products) return;
    await sleep(POLL_MS);
  }
}

/** Uses a table of its own in the service's database. */
async function prepareFloor(service: Service) {
  const children = await startNoOpChildren(service);
  const { kysely } = service.database;
  await sql`create table bench_floor (import uuid not null, xml text not null)`.execute(kysely);
  return {
    async floorOf(products: number): Promise<number> {
      const { path } = await service.makePackage(products);
      return seconds(async () => {
        const xml = JSON.stringify(await unzipAndParse(path));
        await sql`
          insert into bench_floor select ${randomUUID()}::uuid, jsonb_array_elements_text(${xml}::jsonb)
        `.execute(kysely);
        await children.run({ children: products, activities: 0, untilEnded: false });
      });
    },
    close: () => children.stop(),
  };
}
