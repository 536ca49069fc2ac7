/** Readiness: asked once a second, whoever asks how often, and nothing of the inside told. */
import { expect, it } from 'vitest';
import { cachedChecks } from '../../src/http/health.ts';

function asked(outcome: () => Promise<void>) {
  const told: [string, string | null][] = [];
  const state = { calls: 0, time: 0 };
  const ask = cachedChecks(
    {
      database: () => {
        state.calls += 1;
        return outcome();
      },
    },
    (name, reason) => told.push([name, reason]),
    () => state.time,
  );
  return { ask, told, state };
}

it('a thousand concurrent probes cause one check, and so do all within a second', async () => {
  const { ask, state } = asked(async () => {});
  await Promise.all(Array.from({ length: 1_000 }, ask));
  state.time = 999;
  expect(await ask()).toEqual({ ok: true, checks: { database: 'ok' } });
  expect(state.calls).toBe(1);
  state.time = 1_000;
  await ask();
  expect(state.calls).toBe(2);
});

it('a failure is reported without its reason, which is logged once', async () => {
  let reason: string | null = 'connect ECONNREFUSED 10.1.2.3:5432';
  const { ask, told, state } = asked(async () => {
    if (reason !== null) throw new Error(reason);
  });
  for (state.time = 0; state.time < 3_000; state.time += 1_000)
    expect(await ask()).toEqual({ ok: false, checks: { database: 'failed' } });
  reason = null;
  expect((await ask()).ok).toBe(true);
  expect(told).toEqual([
    ['database', 'connect ECONNREFUSED 10.1.2.3:5432'],
    ['database', null],
  ]);
});
