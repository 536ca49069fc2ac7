/** Packages to measure with: each of products that no other one of the service has. */
import { join } from 'node:path';
import { generatePackage } from '../tools/package-generator/index.ts';

export interface PackageFile {
  path: string;
  fileName: string;
  sizeBytes: number;
}

export interface Packages {
  /** Generated products, every third with an attachment of 24 KB. */
  makePackage(products: number): Promise<PackageFile>;
}

/** Running numbers that a submitter has in a year. */
const NUMBERS = 99_999;

/** @param seed of the first package: with another one, products of the same number differ */
export function createPackages(directory: string, seed = 1): Packages {
  let packages = 0;
  let used = 0;
  let year = 2022;
  return {
    async makePackage(products) {
      const number = packages;
      packages += 1;
      if (used + products > NUMBERS) [year, used] = [year + 1, 0];
      const fileName = `package-${number + 1}.zip`;
      const path = join(directory, fileName);
      const options = { seed: seed + number, firstNumber: used + 1, year, products };
      used += products;
      const { bytes } = await generatePackage(options).writeTo(path);
      return { path, fileName, sizeBytes: bytes };
    },
  };
}
