/** The answer to an upload contains the address of its import, as clients reach the gateway (interface §10). */
import { expect, it, onTestFinished } from 'vitest';
import { type BareGatewayOptions, startBareGateway } from './support/bare-gateway.ts';
import { IMPORT_PATH, multipartBody, uploadHeaders } from './support/requests.ts';

async function locationFrom(options: BareGatewayOptions, query = ''): Promise<string | null> {
  const gateway = await startBareGateway(options);
  onTestFinished(() => gateway.stop());
  const body = multipartBody(100);
  const headers = uploadHeaders(gateway.token, body.length) as Record<string, string>;
  const answer = await fetch(`${gateway.url}${IMPORT_PATH}${query}`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  return answer.headers.get('location');
}

const at = (publicUrl: string): BareGatewayOptions => ({
  basePath: '/behind',
  change: (dependencies) => ({ ...dependencies, publicUrl }),
});

it('is a path, with the base path', async () => {
  expect(await locationFrom({})).toBe('/regulator/package-imports/1');
  expect(await locationFrom({ basePath: '/behind' })).toBe('/behind/regulator/package-imports/1');
});

it('is absolute where clients reach the gateway at an address of its own', async () => {
  for (const url of ['https://import.example/api', 'https://import.example/api/'])
    expect(await locationFrom(at(url))).toBe('https://import.example/api/regulator/package-imports/1');
});
