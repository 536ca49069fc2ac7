/** Measures how long a client waits for its answer: on an idle service, on a busy service, and for a large package. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Reading, seconds } from '../figure.ts';
import { startNoOpChildren } from '../floor/children.ts';
import { unzipAndParse } from '../floor/unzip-and-parse.ts';
import { type Measure, type Prepared, uploadProducts } from '../measure.ts';
import type { Service } from '../service.ts';

const MOST = 100;
const FLOOR_IS =
  'unzip, parse, one INSERT of the XML, start of as many children that do nothing; server idle';

export const answer: Measure = {
  name: 'answer',
  async prepare(service, { products }) {
    const size = Math.min(products, MOST);
    const { floorOf, close } = await prepareFloor(service);
    await service.ended((await uploadProducts(service, size)).importId);
    return {
      async round() {
        const floor = await floorOf(size);
        const { importId, answeredAfter } = await uploadProducts(service, size);
        await service.ended(importId);
        return [answerReading(`answer for ${size} products`, answeredAfter, floor, 1.3)];
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
    await service.ended((await uploadProducts(service, size)).importId);
    return {
      async round() {
        const floor = await floorOf(size);
        const others = await uploadProducts(service, background);
        const { importId, answeredAfter } = await uploadProducts(service, size);
        if ((await service.inserted(others.importId)) >= background)
          throw new Error('The other inserts ended before the answer. Use a greater --background.');
        await service.ended(others.importId);
        await service.ended(importId);
        const name = `answer for ${size} products while ${background} are inserted`;
        return [answerReading(name, answeredAfter, floor, 2)];
      },
      close,
    };
  },
};

/** Measures whether the cost per product grows in a large package. */
export const growth: Measure = {
  name: 'growth',
  async prepare(service, { products, waiting: many }) {
    const size = Math.min(products, MOST);
    const perProduct = async (number: number) => {
      const { importId, answeredAfter } = await uploadProducts(service, number);
      await service.ended(importId);
      return (answeredAfter * 1000) / number;
    };
    await perProduct(size);
    return {
      async round() {
        const floor = await perProduct(size);
        return [
          {
            name: `answer per product for ${many} products`,
            unit: 'ms',
            value: await perProduct(many),
            floor,
            floorIs: `one of ${size} products`,
            target: { of: 'ratio', atMost: 1 },
          },
        ];
      },
      close: async () => {},
    };
  },
};

function answerReading(name: string, value: number, floor: number, atMost: number): Reading {
  return { name, unit: 's', value, floor, floorIs: FLOOR_IS, target: { of: 'ratio', atMost } };
}

/** Uses a table of its own in the service's database. */
async function prepareFloor(
  service: Service,
): Promise<Pick<Prepared, 'close'> & { floorOf(products: number): Promise<number> }> {
  const children = await startNoOpChildren(service);
  const { kysely } = service.database;
  await sql`create table bench_floor (import uuid not null, xml text not null)`.execute(kysely);
  return {
    async floorOf(products) {
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
