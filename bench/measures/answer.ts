/** How long a client waits for its answer, and whether that grows with the number of products alone. */
import { MikroORM } from '@mikro-orm/postgresql';
import { type Figure, inTurns, median, seconds } from '../figure.ts';
import { unzipAndParse } from '../floor.ts';
import type { Service } from '../service.ts';

const PRODUCTS = 100;
const MANY = 1_000;
const ROUNDS = 5;

export async function answer(service: Service): Promise<Figure[]> {
  const orm = await MikroORM.init({
    clientUrl: service.config.database.url,
    discovery: { warnWhenNoEntities: false },
    entities: [],
  });
  const upload = async (products: number) => {
    const file = await service.makePackage({ products });
    let id = 0;
    const time = await seconds(async () => {
      const { data } = await service.imports.upload(file);
      id = data.id;
      if (data.queue.queued_count !== products) throw new Error(`queued ${data.queue.queued_count}`);
    });
    await service.idle(id);
    return { time, ...file };
  };
  try {
    await orm.em.fork().execute('create table bench_floor (xml text not null)');
    const packages: { path: string; time: number }[] = [];
    await upload(PRODUCTS);
    const { ours, floor } = await inTurns(
      ROUNDS,
      async () => {
        packages.push(await upload(PRODUCTS));
        return packages.at(-1)?.time ?? Number.NaN;
      },
      async (round) => {
        const path = packages[round - 1]?.path ?? (await service.makePackage({ products: PRODUCTS })).path;
        return seconds(async () => {
          const xml = JSON.stringify(await unzipAndParse(path));
          await orm.em
            .fork()
            .execute('insert into bench_floor select jsonb_array_elements_text(?::jsonb)', [xml]);
        });
      },
    );
    const many = (await upload(MANY)).time;
    return [
      {
        name: `answer for ${PRODUCTS} products`,
        ...{ ours, floor, unit: 's' as const },
        floorIs: 'unzip, parse, one INSERT of the XML: no upload, no checks, no workflows',
      },
      {
        name: `answer for ${MANY} products`,
        ours: (many / MANY) * 1000,
        floor: (median(packages.map(({ time }) => time)) / PRODUCTS) * 1000,
        unit: 'ms per product',
        floorIs: `one of ${PRODUCTS} products: 1 is linear, less is better than linear`,
      },
    ];
  } finally {
    await orm.em.fork().execute('drop table if exists bench_floor');
    await orm.close();
  }
}
