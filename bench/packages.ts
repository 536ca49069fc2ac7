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

export function createPackages(directory: string): Packages {
  let packages = 0;
  let used = 0;
  let year = 2022;
  return {
    async makePackage(products) {
      packages += 1;
      if (used + products > NUMBERS) [year, used] = [year + 1, 0];
      const fileName = `package-${packages}.zip`;
      const path = join(directory, fileName);
      const options = { seed: packages, firstNumber: used + 1, year, products };
      const { bytes } = await generatePackage(options).writeTo(path);
      used += products;
      return { path, fileName, sizeBytes: bytes };
    },
  };
}
