/** A bucket without an answering server: the client is told to retry, and that nothing was kept. */
import { expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { multipartBody } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const MB = 1024 * 1024;

// One request for the whole file, and one for each part of it.
it.each([1_000, 6 * MB])('an upload of %i bytes is answered 500 temporarily_unavailable', async (bytes) => {
  const [nobody] = await freePorts(1);
  const gateway = await startGateway({
    s3Url: `http://127.0.0.1:${nobody}`,
    limits: { maxUploadBytes: 8 * MB },
  });
  const response = await gateway.upload(multipartBody(bytes));
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ status: 'error', data: { code: 'temporarily_unavailable' } });
  expect(gateway.imports).toEqual([]);
});
