/** Packages for the measures. Their products differ from all other products of the service. */
import { join } from 'node:path';
import { generatePackage } from '../tools/package-generator/generate-package.ts';

export interface PackageFile {
  path: string;
  fileName: string;
  sizeBytes: number;
}

export interface Packages {
  makePackage(products: number): Promise<PackageFile>;
}

/** Running numbers that a submitter has in a year. */
const NUMBERS = 99_999;

export interface PackageChoices {
  /** Seed of the first package: products with the same number differ between seeds. Default 1. */
  seed?: number;
  /**
   * One attachment of 24 KB for every third product, which several sections reference. Otherwise none, since
   * attachments have a cost of their own.
   */
  withAttachments?: boolean;
}

export function createPackages(directory: string, choices: PackageChoices = {}): Packages {
  const { seed = 1, withAttachments = false } = choices;
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
      const { bytes } = await generatePackage({
        ...options,
        ...(!withAttachments && { attachments: 0 }),
      }).writeTo(path);
      return { path, fileName, sizeBytes: bytes };
    },
  };
}
