/** A dry run whose report stays in the storage, because the storage does not remove it. */
import { expect, it } from 'vitest';
import { ImportFailed } from '../../src/domain/client-errors.ts';
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
