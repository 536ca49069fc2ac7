/** The client's handling of `Retry-After` (RFC 9110 §10.2.3), from a real server. */

import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { RegulatorRateLimited, RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { createRegulatorClient } from '../../src/regulator/http-client.ts';
import { listenLocally } from '../support/local-server.ts';

const DAY_S = 24 * 60 * 60;
/** The regulator's clock may be wrong; its dates are read by it. */
const ITS_NOW = Date.parse('2031-05-06T07:08:09Z');
const itsDate = (seconds: number) => new Date(ITS_NOW + seconds * 1000).toUTCString();

async function failureOf(status: number, headers: OutgoingHttpHeaders): Promise<unknown> {
  const server = createServer((_request, response) => {
    response.sendDate = false;
    response.writeHead(status, headers).end('{"error":"not now"}');
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const client = createRegulatorClient({ url, username: 'u', password: 'p' });
  return client.renew('token').catch((error: unknown) => error);
}

it.each<[string, OutgoingHttpHeaders, number]>([
  ['seconds', { 'retry-after': '7' }, 7],
  ['zero seconds', { 'retry-after': '0' }, 1],
  ['a date', { 'retry-after': itsDate(90), date: itsDate(0) }, 90],
  ['a date that has passed', { 'retry-after': itsDate(-90), date: itsDate(0) }, 1],
  ['a time beyond all sense', { 'retry-after': '99999999' }, DAY_S],
  ['nonsense', { 'retry-after': 'soon' }, 5],
  ['nothing', {}, 5],
])('429 with %s', async (_what, headers, seconds) => {
  const error = await failureOf(429, headers);
  expect(error).toBeInstanceOf(RegulatorRateLimited);
  expect((error as RegulatorRateLimited).retryAfterSeconds).toBe(seconds);
});

it('429 with a date, from a regulator without a Date header', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const error = (await failureOf(429, { 'retry-after': date })) as RegulatorRateLimited;
  expect(error.retryAfterSeconds).toBeGreaterThan(50);
  expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
});

it.each<[OutgoingHttpHeaders, number | undefined]>([
  [{ 'retry-after': '120' }, 120],
  [{}, undefined],
])('503 with %o', async (headers, seconds) => {
  const error = await failureOf(503, headers);
  expect(error).toBeInstanceOf(RegulatorUnavailable);
  expect((error as RegulatorUnavailable).retryAfterSeconds).toBe(seconds);
});
