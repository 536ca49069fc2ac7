/**
 * Measures the reading of packages: as an import with records, timed by its run in Temporal, and as a dry run
 * without records.
 */
import { text } from 'node:stream/consumers';
import { XMLParser } from 'fast-xml-parser';
import { type Entry, openPromise } from 'yauzl';
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { reading, seconds } from '../figure.ts';
import { activityTime } from '../histories.ts';
import { type Measure, uploadProducts } from '../measure.ts';
import type { Service } from '../service.ts';

const FLOOR_IS = 'one thread that unzips with yauzl and parses with fast-xml-parser';

export const extraction: Measure = {
  name: 'extraction',
  async prepare(service, { products, waiting: many }) {
    await extractionOf(service, Math.min(products, 20));
    return {
      async round() {
        const { path } = await service.makePackage(products);
        const file = await service.makePackage(many);
        const floor = await seconds(() => unzipAndParse(path));
        const imported = await extractionOf(service, products);
        const dryFloor = await seconds(() => unzipAndParse(file.path));
        const dry = await seconds(() => service.imports.dryRun(file));
        return [
          reading(`extraction of ${products} products`, 's', imported, {
            floor,
            floorIs: FLOOR_IS,
            target: { of: 'ratio', atMost: 0.7 },
          }),
          reading(`dry run of ${many} products`, 's', dry, { floor: dryFloor, floorIs: FLOOR_IS }),
        ];
      },
    };
  },
};

async function extractionOf(service: Service, products: number): Promise<number> {
  const { importId } = await uploadProducts(service, products);
  await service.ended(importId);
  const uuid = await service.database.importUuid(importId);
  return (await activityTime(service, packageImportWorkflowId(uuid), 'extractPackage')) / 1000;
}

/**
 * The floor of reading a package: unzips and parses every file, one after the other, and checks nothing.
 * @returns the product files as text
 */
export async function unzipAndParse(path: string): Promise<string[]> {
  const zip = await openPromise(path, { lazyEntries: true });
  const parser = new XMLParser();
  const files: string[] = [];
  for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
    if (!entry.fileName.includes('-product-submissions/') || !entry.fileName.endsWith('.xml')) continue;
    const xml = await text(await zip.openReadStreamPromise(entry));
    parser.parse(xml);
    files.push(xml);
  }
  return files;
}
