/** The insert of one submission, started over HTTP while its import is being read. */
import { expect, it } from 'vitest';
import { queued } from '../../src/domain/queue.ts';
import { startGateway } from '../support/starters/gateway.ts';

const SUBMISSION = { id: 7, packageImport: 1, productId: '12345-26-00001', status: 'local' };

it.each([
  ['is being read, which may remove it: 409', 'extracting', null, 409],
  ['is being queued: 202', 'extracting', new Date(), 202],
  ['was cancelled while it was read: 202', 'cancelled', null, 202],
])('of a package that %s', async (_what, status, readAt, answer) => {
  const gateway = await startGateway({
    change: ({ database }) => ({
      database: {
        ...database,
        submissions: { find: async () => ({ submission: SUBMISSION, superseded: false }) },
        imports: { find: async () => ({ id: 1, tenant: 'client', status, readAt }) },
      } as never,
      startInsert: async ({ submissionId }) => queued(submissionId, 'run'),
    }),
  });
  const path = '/regulator/submissions/7/actions/regulator-insert';
  expect((await gateway.fetch(path, { method: 'POST' })).status).toBe(answer);
});
