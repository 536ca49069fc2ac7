/** A run over failures, started over HTTP. Its effects: `test/end-to-end/failures.test.ts`. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { createReadAudit } from '../../src/gateway/ownership.ts';
import { createReadBudgets } from '../../src/gateway/quotas/read-budgets.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/starters/gateway.ts';

/** @param complete whether the count has looked at all products; it has found none */
async function retryOf({ complete }: { complete: boolean }) {
  const started: unknown[] = [];
  const gateway = await startGateway({
    change: ({ database }) => ({
      database: {
        ...database,
        failures: { groups: async () => ({ products: 0, imports: 0, complete, groups: [] }) },
      } as unknown as GatewayDependencies['database'],
      failuresRuns: {
        last: async () => null,
        start: async (...input: unknown[]) => {
          started.push(input);
          return true;
        },
      } as unknown as GatewayDependencies['failuresRuns'],
    }),
  });
  const { status } = await gateway.fetch('/regulator/failures/actions/regulator-insert', { method: 'POST' });
  return { status, started: started.length };
}

it('starts although none of the products that were counted matches: older ones may', async () => {
  expect(await retryOf({ complete: false })).toEqual({ status: 202, started: 1 });
});

it('does not start when no product matches', async () => {
  expect(await retryOf({ complete: true })).toEqual({ status: 200, started: 0 });
});

it('shows a preview as a read is shown: recorded, and with a place that the next one waits for', async () => {
  const events: object[] = [];
  const counts: PromiseWithResolvers<object>[] = [];
  const reads = createReadBudgets({ atOnce: 1 });
  let reserved = 0;
  const gateway = await startGateway({
    change: ({ database }) => ({
      readBudgets(caller, response) {
        const budget = reads(caller, response);
        return {
          ...budget,
          reserve(bytes) {
            reserved += 1;
            return budget.reserve(bytes);
          },
        };
      },
      readAudit: createReadAudit({ record: async (event) => void events.push(event) }),
      database: {
        ...database,
        failures: {
          groups() {
            const count = Promise.withResolvers<object>();
            counts.push(count);
            return count.promise;
          },
        },
      } as unknown as GatewayDependencies['database'],
    }),
  });
  const preview = '/regulator/failures/actions/cancel?dry_run=true';
  const previews = [1, 2].map(() => gateway.fetch(preview, { method: 'POST' }));
  await eventually(async () => reserved === 2 && counts.length > 0);
  await setImmediate();
  expect(counts).toHaveLength(1);
  for (const index of [0, 1]) {
    await eventually(async () => counts.length > index);
    counts[index]?.resolve({ products: 1, imports: 1, complete: true, groups: [] });
  }
  expect((await Promise.all(previews)).map(({ status }) => status)).toEqual([200, 200]);
  expect(events).toEqual([{ actor: 'client:client', action: 'failures.read' }]);
});

it('records who has stopped a run, and nothing when there is none to stop', async () => {
  const events: object[] = [];
  const stops: string[] = [];
  let status = 'running';
  const gateway = await startGateway({
    change: ({ database }) =>
      ({
        database: { ...database, auditTrail: { record: async (event: object) => void events.push(event) } },
        failuresRuns: {
          last: async () => ({ status }),
          async stop(tenant: string) {
            stops.push(tenant);
            status = 'stopped';
          },
        },
      }) as unknown as Partial<GatewayDependencies>,
  });
  for (let asked = 0; asked < 2; asked += 1) {
    const answer = await gateway.fetch('/regulator/failures/run/actions/stop', { method: 'POST' });
    expect(await answer.json()).toMatchObject({ data: { run: { status: 'stopped' } } });
  }
  expect(events).toEqual([{ actor: 'client:client', action: 'failures.stop_requested' }]);
  expect(stops).toHaveLength(1);
});
