/** Dry runs, without workers: a report that stays in the storage, and the trail of what an operator sees of others. */
import { expect, it } from 'vitest';
import { ImportFailed } from '../../src/domain/client-errors.ts';
import { createReadAudit } from '../../src/gateway/ownership.ts';
import { multipartBody } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

it('says why the package cannot be read', async () => {
  const gateway = await startGateway({
    change: ({ storage }) => ({
      packageChecks: {
        run: () => Promise.reject(new ImportFailed('Invalid submission ZIP: no export.', 'invalid_package')),
      },
      storage: {
        ...storage,
        remove: (key) => (key.endsWith('.zip') ? storage.remove(key) : Promise.reject(new Error('away'))),
      },
    }),
  });
  const answer = await gateway.upload(multipartBody(10), { query: '?dry_run=true' });
  expect(await answer.json()).toMatchObject({ data: { code: 'invalid_package' } });
});

it.each([
  ['?dry_run=true', []],
  ['?dry_run=true&diff=true', [{ actor: 'client:client', action: 'product.diff_read' }]],
])(
  'by an operator with %s records that the values of other clients are shown: %o',
  async (query, expected) => {
    const events: object[] = [];
    const gateway = await startGateway({
      change: () => ({
        readAudit: createReadAudit({ record: async (event) => void events.push(event) }),
        packageChecks: {
          run: () =>
            Promise.reject(new ImportFailed('Invalid submission ZIP: no export.', 'invalid_package')),
        },
      }),
    });
    await gateway.upload(multipartBody(10), { query });
    expect(events).toEqual(expected);
  },
);
