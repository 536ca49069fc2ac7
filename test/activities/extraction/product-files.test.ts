/** A product file beyond its limit is refused before it is unpacked. */
import { expect, it } from 'vitest';
import { readProduct } from '../../../activities/extraction/product-files.ts';
import { PACKAGE_LIMITS } from '../../../src/archive/limits.ts';
import { plainReason, reasonsText } from '../../../src/contract/reasons.ts';
import { storedFile } from '../../support/packed-file.ts';

const LIMIT = PACKAGE_LIMITS.productFileBytes;

/** Reads a file of a declared size. Returns its reason, and the number of files that were unpacked. */
async function read(sizeBytes: number) {
  const path = 'root/export/ecigarette-product-submissions/a.xml';
  const file = { kind: 'product', index: 0, path, name: 'a.xml', sizeBytes } as const;
  let unpacked = 0;
  const reader = {
    async packed() {
      unpacked += 1;
      return storedFile('<a/>');
    },
  };
  const parse = async () => ({
    result: { ok: false as const, reasons: [plainReason('parsed')], productId: null },
    gzip: null,
  });
  const { result } = await readProduct(file, reader, { parse });
  return { reason: result.ok === true ? null : reasonsText(result.reasons), unpacked };
}

it('of 4 MiB is read', async () => {
  expect(await read(LIMIT)).toEqual({ reason: 'parsed', unpacked: 1 });
});

it('of a byte more is refused with both sizes', async () => {
  const { reason, unpacked } = await read(LIMIT + 1);
  expect(reason).toMatch(new RegExp(`${LIMIT + 1}.* ${LIMIT}`));
  expect(unpacked).toBe(0);
});
