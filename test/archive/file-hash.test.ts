import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHashThread, hashAtOnce } from '../../src/archive/file-hash.ts';

const digestOf = (pieces: readonly Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(pieces)).digest('hex');

/** A buffer with memory of its own, whatever its length. */
function alone(content: Uint8Array): Buffer {
  const buffer = Buffer.from(new ArrayBuffer(content.length));
  buffer.set(content);
  return buffer;
}

describe.each([
  ['at once', hashAtOnce],
  ['in a thread', createHashThread().start],
])('hashing %s', (_where, start) => {
  it('gives the SHA-256 of all pieces, of several files at the same time', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(pieces, { maxLength: 4 }), { maxLength: 4 }), async (files) => {
        const digests = files.map(async (updates) => {
          const hash = start();
          for (const update of updates) await hash.update(update.map(alone));
          return hash.digest();
        });
        expect(await Promise.all(digests)).toEqual(files.map((updates) => digestOf(updates.flat())));
      }),
      { numRuns: 50 },
    );
  });
});

describe('in a thread', () => {
  it('transfers buffers that own their memory, and copies buffers that share it', async () => {
    const whole = alone(randomBytes(70_000));
    const larger = alone(randomBytes(70_000));
    const part = larger.subarray(10, 60_000);
    const copies = [whole, part].map((piece) => Buffer.from(piece));
    const before = Buffer.from(larger);
    const hash = createHashThread().start();
    await hash.update([whole, part]);
    expect(await hash.digest()).toBe(digestOf(copies));
    expect(whole).toHaveLength(0);
    expect(larger.equals(before)).toBe(true);
  });

  it('has no digest for a file whose beginning was lost', async () => {
    const hash = createHashThread().start();
    await hash.update([Buffer.from('the beginning')]);
    hash.forget();
    await expect(hash.digest()).rejects.toThrow('has ended');
  });
});
