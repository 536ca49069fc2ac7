/** Bounds of reading: work ahead, time, notes. */
import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../../activities/failure-mapping.ts';
import { createNoteBudget } from '../../../activities/reading/note-budget.ts';
import { batches } from '../../../activities/reading/product-files.ts';
import type { Judgement } from '../../../activities/reading/verdict.ts';
import { beginTimeSlice, TimeSliceOver } from '../../../activities/reading/with-package.ts';
import type { PackageFile } from '../../../src/archive/package-reader.ts';
import { readAhead } from '../../../src/common/read-ahead.ts';
import { plainReason } from '../../../src/contract/reasons.ts';
import type { Reason } from '../../../src/contract/types.ts';
import { bytesOf } from '../../../src/domain/notes.ts';
import { createdFile, refusedFile } from '../../support/database.ts';
import { newProductId } from '../../support/product-xml.ts';

describe('batches of product files', () => {
  const fileOf = (sizeBytes: number, index: number): PackageFile => {
    const name = `${index}.xml`;
    return {
      kind: 'product',
      index,
      path: `r/export/ecigarette-product-submissions/${name}`,
      name,
      sizeBytes,
    };
  };
  const MIB = 1024 * 1024;

  it('hold the files in their order, within both limits', async () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 4 * MIB }));
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 100 }), async (sizes) => {
        const files = sizes.map(fileOf);
        let underWay = 0;
        const read = async (file: PackageFile) => {
          underWay += 1;
          for (let left = file.sizeBytes % 5; left > 0; left -= 1) await tick();
          underWay -= 1;
          return file;
        };
        const seen = await Array.fromAsync(batches(files, read), (batch) => {
          expect(underWay).toBe(0);
          expect(batch.length).toBeLessThanOrEqual(32);
          const bytes = batch.map(({ sizeBytes }) => sizeBytes);
          const beforeLast = bytes.slice(0, -1).reduce((sum, each) => sum + each, 0);
          expect(beforeLast).toBeLessThan(MIB);
          return batch;
        });
        expect(seen.flat()).toEqual(files);
      }),
    );
  });

  it('are filled: files that are not read take no room', async () => {
    const small = Array.from({ length: 70 }, () => 1000);
    const sizesOf = async (sizes: number[]) =>
      (await Array.fromAsync(batches(sizes.map(fileOf), async (file) => file))).map(({ length }) => length);
    expect(await sizesOf(small)).toEqual([32, 32, 6]);
    expect(await sizesOf([600_000, 600_000, 600_000])).toEqual([2, 1]);
    expect(await sizesOf([...Array.from({ length: 30 }, () => 5 * MIB), 1, 1])).toEqual([32]);
    expect(await sizesOf([])).toEqual([]);
  });

  it('report an error at the place of its batch', async () => {
    const read = async ({ index }: PackageFile) => {
      if (index === 40) throw new Error('forty');
      await tick();
      return index;
    };
    const seen: number[] = [];
    const all = async () => {
      for await (const batch of batches(Array.from({ length: 70 }, () => 1).map(fileOf), read))
        seen.push(...batch);
    };
    await expect(all()).rejects.toThrow('forty');
    expect(seen).toHaveLength(32);
  });
});

describe('read-ahead', () => {
  const counted = (started: number[], failAt = Number.NaN) =>
    (async function* () {
      for (let item = 1; item <= 4; item += 1) {
        started.push(item);
        await tick();
        if (item === failAt) throw new Error(`item ${item}`);
        yield item;
      }
    })();

  it('fetches only the next item while the current one is processed', async () => {
    const started: number[] = [];
    const seen: number[] = [];
    for await (const item of readAhead(counted(started))) {
      for (let ticks = 0; ticks < 5; ticks += 1) await tick();
      expect(started).toEqual([1, 2, 3, 4].slice(0, item + 1));
      seen.push(item);
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('reports an error at the place of its item', async () => {
    const seen: number[] = [];
    const all = async () => {
      for await (const item of readAhead(counted([], 3))) seen.push(item);
    };
    await expect(all()).rejects.toThrow('item 3');
    expect(seen).toEqual([1, 2]);
  });

  it('has ended when a caller stops early', async () => {
    let running = 0;
    let ended = false;
    const items = (async function* () {
      try {
        for (;;) {
          running += 1;
          await tick();
          await tick();
          running -= 1;
          yield running;
        }
      } finally {
        ended = true;
      }
    })();
    for await (const _ of readAhead(items)) break;
    expect({ running, ended }).toEqual({ running: 0, ended: true });
  });
});

describe('time', () => {
  const SLICE_MS = 1_000;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The number of pieces that one slice records, each of which takes that long. */
  function piecesOf(slice: ReturnType<typeof beginTimeSlice>, pieceMs: number): number {
    for (let pieces = 1; ; pieces += 1) {
      vi.advanceTimersByTime(pieceMs);
      try {
        slice();
      } catch (error) {
        expect(error).toBeInstanceOf(TimeSliceOver);
        return pieces;
      }
    }
  }

  describe('the time slice of a reading', () => {
    it('is over when it has lasted', () => {
      expect(piecesOf(beginTimeSlice(SLICE_MS), 100)).toBe(11);
    });

    it('lasts until a file is recorded, even if the file takes longer', () => {
      expect(piecesOf(beginTimeSlice(SLICE_MS), 10 * SLICE_MS)).toBe(2);
    });

    it('begins with its first recorded file, after the files that are read again', () => {
      const slice = beginTimeSlice(SLICE_MS);
      vi.advanceTimersByTime(5 * SLICE_MS);
      expect(piecesOf(slice, 100)).toBeGreaterThan(50);
    });

    it('ends with a benign failure that is retried after 100 ms', () => {
      expect(failureOf(new TimeSliceOver())).toMatchObject({
        type: 'TimeSliceOver',
        nonRetryable: false,
        nextRetryDelay: 100,
        category: 'BENIGN',
      });
    });
  });
});

describe('notes of a package', () => {
  const LIMIT = 100_000;
  const warnings = Array.from({ length: 100 }, (_, n) => plainReason(`${n} ${'w'.repeat(100)}`));
  const long = plainReason('r'.repeat(900));

  function created(notes: Reason[]): Judgement {
    const file = createdFile(newProductId());
    const product = { ...file.product, warnings: notes };
    return { verdict: 'new', outcome: { ...file, product }, product, changedSections: [], reasons: [] };
  }

  function refused(reasons: Reason[]): Judgement {
    const outcome = { ...refusedFile('failed', 0), reasons };
    return { verdict: 'refused', outcome, product: null, changedSections: [], reasons };
  }

  function notesOf({ outcome }: Judgement): Reason[] {
    return outcome.outcome === 'created' ? outcome.product.warnings : outcome.reasons;
  }

  it('warnings and reasons are kept up to the limit, then counted or shortened', () => {
    const within = createNoteBudget(0, LIMIT);
    const judged = Array.from({ length: 200 }, (_, n) =>
      within(n % 2 === 0 ? created(warnings) : refused(n % 4 === 1 ? [long] : [long, long, long])),
    );
    expect(notesOf(judged[0] as Judgement)).toEqual(warnings);
    expect(notesOf(judged[1] as Judgement)).toEqual([long]);
    expect(notesOf(judged[3] as Judgement)).toEqual([long, long, long]);
    expect(notesOf(judged[198] as Judgement)).toEqual([
      plainReason('100 warnings left out: the warnings of the package have more than 100000 bytes'),
    ]);
    const short = plainReason(`${'r'.repeat(200)}…`);
    expect(notesOf(judged[197] as Judgement)).toEqual([short]);
    expect(notesOf(judged[199] as Judgement)).toEqual([short, plainReason('… and 2 more')]);
    const most = LIMIT + judged.length * 330;
    expect(bytesOf(judged.flatMap(notesOf))).toBeLessThan(most);
  });

  it('a product without warnings keeps none', () => {
    const within = createNoteBudget(LIMIT, LIMIT);
    expect(notesOf(within(created([])))).toEqual([]);
  });

  it('notes that an earlier attempt kept are counted', () => {
    const within = createNoteBudget(LIMIT - 10, LIMIT);
    expect(notesOf(within(created(warnings)))).toHaveLength(1);
  });

  it('a dry run reports the same notes as an import records', () => {
    const { product, outcome } = createNoteBudget(LIMIT, LIMIT)(created(warnings));
    expect(outcome.outcome === 'created' && outcome.product.warnings).toEqual(product?.warnings);
  });
});
