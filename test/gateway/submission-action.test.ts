/** The insert of one submission, started over HTTP while its import is being read. */
import { expect, it } from 'vitest';
import { queued } from '../../src/domain/queue.ts';
import { startGateway } from '../support/starters/gateway.ts';

const SUBMISSION = { id: 7, packageImport: 1, productId: '12345-26-00001', status: 'local' };

it.each([
  ['is being read, which may remove it: 409', 'extracting', null, false, 409, 'is still being read'],
  ['is being queued: 202', 'extracting', new Date(), true, 202, 'queued'],
  ['was cancelled while it was read: 202', 'cancelled', null, true, 202, 'queued'],
  ['is superseded: 409', 'inserting', new Date(), false, 409, 'a newer submission'],
])('of a package that %s', async (_what, status, readAt, offersInsert, answer, message) => {
  const gateway = await startGateway({
    change: ({ database }) => ({
      database: {
        ...database,
        submissions: { find: async () => ({ submission: SUBMISSION, offersInsert }) },
        imports: { find: async () => ({ id: 1, tenant: 'client', status, readAt }) },
      } as never,
      startInsert: async ({ submissionId }) => queued(submissionId, 'run'),
    }),
  });
  const path = '/regulator/submissions/7/actions/regulator-insert';
  const response = await gateway.fetch(path, { method: 'POST' });
  expect(response.status).toBe(answer);
  expect(((await response.json()) as { message: string }).message).toContain(message);
});

it('without a regulator session: 412 with a message that is about inserts, not about an upload', async () => {
  const gateway = await startGateway();
  gateway.session.state = { status: 'none', expiresAt: null };
  for (const path of ['submissions/7', 'package-imports/7', 'failures']) {
    const response = await gateway.fetch(`/regulator/${path}/actions/regulator-insert`, { method: 'POST' });
    expect([path, response.status]).toEqual([path, 412]);
    const message = 'An active regulator session is required before products are inserted.';
    expect(await response.json()).toMatchObject({ message, data: { code: 'session_required' } });
  }
});
