/** The answer to a cancellation, when the import ends between two statements of the request. */
import { expect, it } from 'vitest';
import { startGateway } from '../support/starters/gateway.ts';

const OPEN = { id: 1, uuid: 'uuid', uploadedAt: new Date(), sizeBytes: 1, status: 'inserting' };

it.each([
  ['cancelled by an earlier request', 'cancelled', 202],
  ['completed', 'completed', 409],
])('of an import that is %s meanwhile: %s, %d', async (_how, status, answer) => {
  let found = OPEN;
  const gateway = await startGateway({
    change: ({ database }) => ({
      database: {
        ...database,
        imports: {
          find: async () => found,
          async requestCancel() {
            found = { ...OPEN, status };
            return false;
          },
        } as never,
      },
    }),
  });
  const path = '/regulator/package-imports/1/actions/cancel';
  expect((await gateway.fetch(path, { method: 'POST' })).status).toBe(answer);
});
