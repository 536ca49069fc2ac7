/** Working ahead: in order, no more than allowed at a time, and without losing an error or leaving work behind. */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder, oneAhead } from '../../../activities/extraction/in-order.ts';

describe('work in order', () => {
  it('yields in the order of the items, within both limits, whatever takes how long', async () => {
    const item = fc.record({ turns: fc.nat(5), weight: fc.integer({ min: 1, max: 10 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 30 }), async (items) => {
        const underWay = new Set<(typeof items)[number]>();
        const work = async (one: (typeof items)[number]) => {
          underWay.add(one);
          const weight = [...underWay].reduce((sum, { weight }) => sum + weight, 0);
          expect(underWay.size === 1 || (underWay.size <= 4 && weight <= 12)).toBe(true);
          for (let left = one.turns; left > 0; left -= 1) await turn();
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

  it('reports an error when its turn comes', async () => {
    const work = async (item: number) => {
      if (item === 2) throw new Error('two');
      await turn();
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
        await turn();
        if (item === failAt) throw new Error(`item ${item}`);
        yield item;
      }
    })();

  it('fetches the next item, and no more, while the one before is worked with', async () => {
    const started: number[] = [];
    const seen: number[] = [];
    for await (const item of oneAhead(counted(started))) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      expect(started).toEqual([1, 2, 3, 4].slice(0, item + 1));
      seen.push(item);
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('reports an error when its turn comes', async () => {
    const seen: number[] = [];
    const all = async () => {
      for await (const item of oneAhead(counted([], 3))) seen.push(item);
    };
    await expect(all()).rejects.toThrow('item 3');
    expect(seen).toEqual([1, 2]);
  });

  it('has nothing under way when a caller stops early', async () => {
    let running = 0;
    let ended = false;
    const items = (async function* () {
      try {
        for (;;) {
          running += 1;
          await turn();
          await turn();
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
