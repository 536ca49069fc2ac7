/** A redirect would carry our password or session to wherever it points: none is followed. */

import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { createRegulatorClient } from '../../src/regulator/http-client.ts';
import { listenLocally } from '../support/local-server.ts';

it.each([301, 302, 303, 307, 308])('a redirect with %i is not followed', async (status) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const client = createRegulatorClient({ url, username: 'u', password: 'p' });
  for (const [path, call] of [
    ['/session', () => client.logIn()],
    ['/session/renewal', () => client.renew('token')],
  ] as const) {
    asked.length = 0;
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RegulatorUnavailable);
    expect((error as Error).message).toContain('redirect, which is not followed: check REGULATOR_URL');
    expect(asked).toEqual([path]);
  }
});
