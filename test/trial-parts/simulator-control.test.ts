import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EvenShare } from '../../src/trial-parts/regulator-simulator/behaviour.ts';
import { startRegulatorSimulator } from '../../src/trial-parts/regulator-simulator/simulator.ts';
import { closing } from '../support/cleanup.ts';
import { temporaryDirectory } from '../support/temporary.ts';

it('the behaviour changes whatever type the request has, as with curl -d', async () => {
  const simulator = await closing(
    startRegulatorSimulator({
      host: '127.0.0.1',
      port: 0,
      journal: join(await temporaryDirectory(), 'journal.jsonl'),
      username: 'someone',
      password: 'of the test',
      smtpUrl: 'smtp://127.0.0.1:1',
    }),
  );
  const change = (body: string) =>
    fetch(`${simulator.url}/control/behaviour`, {
      method: 'PUT',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  expect(await (await change('{"latency_ms": 7}')).json()).toMatchObject({ latency_ms: 7 });
  expect((await change('latency_ms=8')).status).toBe(400);
  expect(simulator.simulation.behaviour.latency_ms).toBe(7);
});

it('faults are spread evenly: a share of a third is every third call', () => {
  const third = new EvenShare();
  const selected = Array.from({ length: 300 }, () => third.selects(0.34, 'a call'));
  expect(selected.filter(Boolean)).toHaveLength(102);
  const gaps = selected.flatMap((is, index) => (is ? [selected.slice(index + 1).indexOf(true)] : []));
  expect(gaps.filter((gap) => gap > 2)).toEqual([]);
  expect(new EvenShare().selects(0, 'a call')).toBe(false);
  expect(new EvenShare().selects(1, 'a call')).toBe(true);
});

it('a share of up to a half never fails one call twice in a row, however the calls of others alternate', () => {
  const share = fc.double({ min: 0, max: 0.5, noNaN: true });
  const calls = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 200 });
  fc.assert(
    fc.property(share, calls, (rate, order) => {
      const faults = new EvenShare();
      const failed = new Set<number>();
      let count = 0;
      for (const call of order) {
        const fails = faults.selects(rate, `call ${call}`);
        if (fails && failed.has(call)) return false;
        if (fails) failed.add(call);
        else failed.delete(call);
        count += Number(fails);
      }
      // At most one failure of each of the four calls is owed to later calls.
      return Math.abs(count - rate * order.length) < 1 + 4;
    }),
    { examples: [[0.5, Array.from({ length: 200 }, (_, index) => 1 + (index % 2))]] },
  );
});
