/** The answer to an upload contains the address of its import, as clients reach the gateway (interface §10). */
import { expect, it } from 'vitest';
import { multipartBody } from '../support/multipart.ts';
import { type GatewayOptions, startGateway } from '../support/starters/gateway.ts';

async function locationFrom(options: GatewayOptions, query = ''): Promise<string | null> {
  const gateway = await startGateway(options);
  const answer = await gateway.upload(multipartBody(100), { query });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  return answer.headers.get('location');
}

const at = (publicUrl: string): GatewayOptions => ({
  basePath: '/behind',
  change: () => ({ publicUrl }),
});

it('Location is a path, with the base path', async () => {
  expect(await locationFrom({})).toBe('/regulator/package-imports/1');
  expect(await locationFrom({ basePath: '/behind' })).toBe('/behind/regulator/package-imports/1');
});

it('Location is absolute when the gateway has a public address', async () => {
  for (const url of ['https://import.example/api', 'https://import.example/api/'])
    expect(await locationFrom(at(url))).toBe('https://import.example/api/regulator/package-imports/1');
});
