/** Bounds of an extraction: work ahead, time, notes. */
import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createNoteBudget } from '../../../activities/extraction/note-budget.ts';
import { inOrder, oneAhead } from '../../../activities/extraction/product-files.ts';
import type { Judgement } from '../../../activities/extraction/verdict.ts';
import { beginTimeSlice, TimeSliceOver } from '../../../activities/extraction/with-package.ts';
import { failureOf } from '../../../activities/failure-mapping.ts';
import { plainReason } from '../../../src/contract/reasons.ts';
import type { Reason } from '../../../src/contract/types.ts';
import { bytesOf } from '../../../src/domain/notes.ts';
import { createdFile, refusedFile } from '../../support/database.ts';
import { newProductId } from '../../support/product-xml.ts';

describe('work in order', () => {
  it('yields results in the order of the items, within both limits', async () => {
    const item = fc.record({ ticks: fc.nat(5), weight: fc.integer({ min: 1, max: 10 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 30 }), async (items) => {
        const underWay = new Set<(typeof items)[number]>();
        const work = async (one: (typeof items)[number]) => {
          underWay.add(one);
          const weight = [...underWay].reduce((sum, { weight }) => sum + weight, 0);
          expect(underWay.size === 1 || (underWay.size <= 4 && weight <= 12)).toBe(true);
          for (let left = one.ticks; left > 0; left -= 1) await tick();
          underWay.delete(one);
          return one;
        };
        const results = await Array.fromAsync(
          inOrder(items, work, ({ weight }) => weight, { items: 4, weight: 12 }),
        );
        expect(results).toEqual(items);
      }),
    );
  });

  it('reports an error at the place of its item', async () => {
    const work = async (item: number) => {
      if (item === 2) throw new Error('two');
      await tick();
      return item;
    };
    const seen: number[] = [];
    const all = async () => {
      for await (const item of inOrder([1, 2, 3], work, () => 1, { items: 3, weight: 3 })) seen.push(item);
    };
    await expect(all()).rejects.toThrow('two');
    expect(seen).toEqual([1]);
  });
});

describe('one ahead', () => {
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
    for await (const item of oneAhead(counted(started))) {
      for (let ticks = 0; ticks < 5; ticks += 1) await tick();
      expect(started).toEqual([1, 2, 3, 4].slice(0, item + 1));
      seen.push(item);
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('reports an error at the place of its item', async () => {
    const seen: number[] = [];
    const all = async () => {
      for await (const item of oneAhead(counted([], 3))) seen.push(item);
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
    for await (const _ of oneAhead(items)) break;
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

  it('notes that an earlier try kept are counted', () => {
    const within = createNoteBudget(LIMIT - 10, LIMIT);
    expect(notesOf(within(created(warnings)))).toHaveLength(1);
  });

  it('a dry run reports the same notes as an import records', () => {
    const { product, outcome } = createNoteBudget(LIMIT, LIMIT)(created(warnings));
    expect(outcome.outcome === 'created' && outcome.product.warnings).toEqual(product?.warnings);
  });
});
