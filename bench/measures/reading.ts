/** Reading product files: what the checks and the types cost over parsing alone. */
import { inOrder } from '../../activities/extraction/in-order.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { openPackage } from '../../src/archive/package-reader.ts';
import { createProductParser } from '../../src/products/parser-pool.ts';
import { type Figure, inTurns, seconds } from '../figure.ts';
import { unzipAndParse } from '../floor.ts';
import type { Service } from '../service.ts';

const PRODUCTS = 1_000;
const ROUNDS = 3;

export async function reading(service: Service): Promise<Figure[]> {
  const { path, fileName } = await service.makePackage({ products: PRODUCTS });
  const storage = createLocalStorage(service.directory);
  const parser = createProductParser();
  const read = async () => {
    const reader = await openPackage(await storage.open(fileName));
    const files = reader.files.filter(({ kind }) => kind === 'product');
    const parse = async (file: (typeof files)[number]) => parser.parse(await reader.read(file));
    let readable = 0;
    for await (const { ok } of inOrder(files, parse, () => 1, { items: 8, weight: 8 }))
      readable += Number(ok);
    await reader.close();
    if (readable !== PRODUCTS) throw new Error(`only ${readable} of ${PRODUCTS} products were read`);
  };
  try {
    await read();
    const { ours, floor } = await inTurns(
      ROUNDS,
      () => seconds(read),
      () => seconds(() => unzipAndParse(path)),
    );
    const floorIs = 'unzip with yauzl and parse with fast-xml-parser, one thread';
    return [{ name: `reading ${PRODUCTS} products`, ours, floor, unit: 's', floorIs }];
  } finally {
    await parser.close();
  }
}
