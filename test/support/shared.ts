/** Facts that lie beside the checkout and may not be there: tests that need them are skipped visibly then. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FORMAT = fileURLToPath(new URL('../../../shared/package-format', import.meta.url));

export const sharedFormat = existsSync(FORMAT) ? FORMAT : null;

/** A genuine product file of a large manufacturer (package format §8). */
export const genuineProductFile = `${FORMAT}/samples/ecig-type-4.xml`;
