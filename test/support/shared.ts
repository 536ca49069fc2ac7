/** Files beside the checkout that may be missing. Tests that need them are then skipped visibly. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FORMAT = fileURLToPath(new URL('../../../shared/package-format', import.meta.url));

export const sharedFormat = existsSync(FORMAT) ? FORMAT : null;

/** A genuine product file of a large manufacturer (package format §8). */
export const genuineProductFile = `${FORMAT}/samples/ecig-type-4.xml`;
