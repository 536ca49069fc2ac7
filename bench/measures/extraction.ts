/**
 * Measures the reading of packages: as an import with records, timed by its run in Temporal, and as a dry run
 * without records.
 */
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { seconds } from '../figure.ts';
import { unzipAndParse } from '../floor/unzip-and-parse.ts';
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
        const floor = await seconds(() => unzipAndParse(path));
        const file = await service.makePackage(many);
        return [
          {
            name: `extraction of ${products} products`,
            unit: 's',
            floor,
            value: await extractionOf(service, products),
            floorIs: FLOOR_IS,
            target: { of: 'ratio', atMost: 0.7 },
          },
          {
            name: `dry run of ${many} products`,
            unit: 's',
            floor: await seconds(() => unzipAndParse(file.path)),
            value: await seconds(() => service.imports.tryOut(file)),
            floorIs: FLOOR_IS,
          },
        ];
      },
      close: async () => {},
    };
  },
};

async function extractionOf(service: Service, products: number): Promise<number> {
  const { importId } = await uploadProducts(service, products);
  await service.ended(importId);
  const uuid = await service.database.importUuid(importId);
  return (await activityTime(service, packageImportWorkflowId(uuid), 'extractPackage')) / 1000;
}
