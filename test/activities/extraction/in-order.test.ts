/** Working ahead: in order, no more than allowed at a time, and without losing an error or leaving work behind. */
import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder, oneAhead } from '../../../activities/extraction/in-order.ts';

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
