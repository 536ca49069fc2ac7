/** A run over failures, started over HTTP. Its effects: `test/end-to-end/failures.test.ts`. */
import { expect, it } from 'vitest';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
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
