/** Decision §access-tokens-only: rotation, floods and outages of the identity service's keys. */

import { createServer } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createTokenKeys,
  KeysUnavailable,
  type TokenKeys,
  UnknownKey,
} from '../../src/gateway/tokens/token-keys.ts';
import { listenLocally } from '../support/local-server.ts';
import { startGateway } from '../support/starters/gateway.ts';
import {
  createSigningKey,
  signAnything,
  startTokenIssuer,
  type TokenIssuer,
} from '../support/token-issuer.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/**
 * Long enough for an answer on a busy machine: the first `fetch` of a process alone takes some hundred milliseconds of
 * it.
 */
const FETCH_TIMEOUT_MS = 2_000;

let service: TokenIssuer;
/** The current time of the key cache, which the test sets. */
let clock: number;
let keys: TokenKeys;

beforeEach(async () => {
  service = await startTokenIssuer('ES256');
  clock = Date.now();
  keys = keysOf({ jwksUrl: service.keySetUrl });
});

function keysOf(source: Parameters<typeof createTokenKeys>[0]): TokenKeys {
  return createTokenKeys(source, { now: () => clock, fetchTimeoutMs: FETCH_TIMEOUT_MS });
}

const known = () => keys.find(service.key.kid);
const PEM = /^-----BEGIN PUBLIC KEY-----/;

describe('rotation, without a restart', () => {
  it('finds a new key when the last set is a minute old', async () => {
    await known();
    const added = await createSigningKey('ES256', 'added');
    service.keys = [service.key, added];
    await expect(keys.find('added')).rejects.toThrow(UnknownKey);
    clock += MINUTE;
    expect(await keys.find('added')).toMatch(PEM);
    expect(await known()).toMatch(PEM);
    expect(service.requests.keySet).toBe(2);
  });

  it('removes a withdrawn key with the next set', async () => {
    await known();
    service.keys = [await createSigningKey('ES256', 'only')];
    clock += MINUTE;
    await keys.find('only');
    await expect(known()).rejects.toThrow(UnknownKey);
  });

  it('fetches the set every ten minutes even if no key is missing', async () => {
    await known();
    service.keys = [await createSigningKey('ES256', 'only')];
    clock += 9 * MINUTE;
    expect(await known()).toMatch(PEM);
    expect(service.requests.keySet).toBe(1);
    clock += MINUTE;
    await expect(known()).rejects.toThrow(UnknownKey);
  });

  it('uses the only key for a token without key id', async () => {
    expect(await keys.find(undefined)).toBe(await known());
    service.keys.push(await createSigningKey('ES256', 'second'));
    clock += 10 * MINUTE;
    await expect(keys.find(undefined)).rejects.toThrow(UnknownKey);
  });

  it('ignores keys for encryption, symmetric, private and broken keys', async () => {
    const { jwk } = service.key;
    const { x: _x, ...broken } = jwk;
    const odd = [
      { ...jwk, kid: 'enc', use: 'enc' },
      { kty: 'oct', k: 'AAAA', kid: 'oct' },
      { ...broken, kid: 'broken' },
    ];
    service.keys.unshift(...odd.map((entry) => ({ ...service.key, jwk: entry })));
    expect(await known()).toMatch(PEM);
    for (const kid of ['enc', 'oct', 'broken']) await expect(keys.find(kid)).rejects.toThrow(UnknownKey);
  });
});

describe('redirects', () => {
  it.each([302, 307])('of the keys or the metadata are not followed (%i)', async (status) => {
    const elsewhere = await startTokenIssuer('ES256');
    service.fault = (_request, response) =>
      response.writeHead(status, { location: elsewhere.keySetUrl }).end();
    for (const source of [{ jwksUrl: service.keySetUrl }, { issuer: service.issuer }]) {
      const found = keysOf(source).find(elsewhere.key.kid);
      await expect(found).rejects.toThrow(/answered with a redirect, which is not followed/);
    }
    expect(elsewhere.requests).toEqual({ keySet: 0, metadata: 0 });
  });
});

describe('floods', () => {
  it('a thousand unknown ids at once cause one request a minute', async () => {
    const flood = () =>
      Promise.allSettled(Array.from({ length: 1_000 }, (_, index) => keys.find(`unknown-${index}`)));
    const first = await flood();
    expect(first.every((result) => result.status === 'rejected' && result.reason instanceof UnknownKey)).toBe(
      true,
    );
    await flood();
    clock += 59 * SECOND;
    await flood();
    expect(service.requests.keySet).toBe(1);
    clock += SECOND;
    await flood();
    expect(service.requests.keySet).toBe(2);
    expect(await known()).toMatch(PEM);
  });

  it('failed fetches happen at most once in five seconds', async () => {
    service.fault = (_request, response) => response.writeHead(503).end();
    const flood = () => Promise.allSettled(Array.from({ length: 100 }, (_, index) => keys.find(`k${index}`)));
    await flood();
    await flood();
    expect(service.requests.keySet).toBe(1);
    clock += 5 * SECOND;
    await flood();
    expect(service.requests.keySet).toBe(2);
  });
});

const FAULTS: Record<string, NonNullable<TokenIssuer['fault']>> = {
  refuses: (_request, response) => response.writeHead(503).end('sorry'),
  'hangs up': (request) => void request.socket.destroy(),
  'says nothing': () => {},
  'stops in the middle': (_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"keys": [');
  },
  'answers with a page': (_request, response) => response.end('<!doctype html><p>Sign in'),
  'answers with nothing': (_request, response) => response.end(),
  'answers with a list': (_request, response) => response.end('[]'),
  'answers with null': (_request, response) => response.end('null'),
  'answers with no keys': (_request, response) => response.end('{"keys": []}'),
  'answers with keys that are none': (_request, response) =>
    response.end('{"keys": [{"kty":"EC","kid":"key-ES256"}]}'),
  'answers with keys that are text': (_request, response) => response.end('{"keys": "key-ES256"}'),
  'answers with gigabytes': (_request, response) => {
    const pour = () => {
      while (response.write(Buffer.alloc(64 * 1024, ' ')));
      response.once('drain', pour);
    };
    pour();
  },
  'leads in circles': (request, response) => response.writeHead(302, { location: request.url }).end(),
};

describe('outages', () => {
  for (const [fault, answer] of Object.entries(FAULTS)) {
    it(`the key server ${fault}: known keys stay valid, others cannot be looked up`, async () => {
      await known();
      service.fault = answer;
      clock += 11 * MINUTE;
      expect(await known()).toMatch(PEM);
      clock += 6 * SECOND;
      const started = performance.now();
      await expect(keys.find('unknown')).rejects.toThrow(KeysUnavailable);
      expect(performance.now() - started).toBeLessThan(FETCH_TIMEOUT_MS + 2_000);
      service.fault = null;
      clock += 6 * SECOND;
      await expect(keys.find('unknown')).rejects.toThrow(UnknownKey);
      expect(await known()).toMatch(PEM);
    });

    it(`the key server ${fault} from the start: nothing can be looked up until it recovers`, async () => {
      service.fault = answer;
      await expect(known()).rejects.toThrow(KeysUnavailable);
      service.fault = null;
      await expect(known()).rejects.toThrow(KeysUnavailable);
      clock += 6 * SECOND;
      expect(await known()).toMatch(PEM);
    });
  }

  it('known keys are valid during an outage of a day, not more', async () => {
    await known();
    service.fault = (_request, response) => response.writeHead(503).end();
    clock += 23 * HOUR;
    expect(await known()).toMatch(PEM);
    clock += 2 * HOUR;
    await expect(known()).rejects.toThrow(KeysUnavailable);
  });

  it('a slow key server does not delay tokens with known keys', async () => {
    keys = createTokenKeys({ jwksUrl: service.keySetUrl }, { now: () => clock, fetchTimeoutMs: 20_000 });
    await known();
    service.fault = () => {};
    clock += 11 * MINUTE;
    const started = performance.now();
    expect(await known()).toMatch(PEM);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("discovery from the issuer's metadata", () => {
  it('finds the keys', async () => {
    keys = keysOf({ issuer: service.issuer });
    expect(await known()).toMatch(PEM);
    expect(service.requests).toEqual({ keySet: 1, metadata: 1 });
  });

  it.each([
    [
      'of another issuer',
      (issuer: string) => ({ issuer: `${issuer}/other`, jwks_uri: `${issuer}/keys` }),
      /AUTH_ISSUER/,
    ],
    [
      'of our issuer with a slash',
      (issuer: string) => ({ issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }),
      /AUTH_ISSUER/,
    ],
    ['without an issuer', (issuer: string) => ({ jwks_uri: `${issuer}/keys` }), /expected/],
    ['without keys', (issuer: string) => ({ issuer }), /expected/],
    ['with keys in a file', (issuer: string) => ({ issuer, jwks_uri: 'file:///etc/passwd' }), /expected/],
    [
      'with keys in themselves',
      (issuer: string) => ({ issuer, jwks_uri: 'data:application/json,{"keys":[]}' }),
      /expected/,
    ],
  ])('refuses metadata %s', async (_title, metadata, reason) => {
    service.metadata = metadata(service.issuer);
    keys = keysOf({ issuer: service.issuer });
    await expect(known()).rejects.toThrow(KeysUnavailable);
    clock += 6 * SECOND;
    await expect(known()).rejects.toThrow(reason);
    expect(service.requests.keySet).toBe(0);
  });

  it('asks below the path of an issuer, with or without a slash at its end', async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.end(JSON.stringify({ issuer: `${issuer}/`, jwks_uri: service.keySetUrl }));
    });
    const issuer = `http://127.0.0.1:${await listenLocally(server)}/realms/company`;
    expect(await keysOf({ issuer: `${issuer}/` }).find(service.key.kid)).toMatch(PEM);
    await expect(keysOf({ issuer }).find(service.key.kid)).rejects.toThrow(KeysUnavailable);
    expect(paths).toEqual(Array(2).fill('/realms/company/.well-known/openid-configuration'));
  });
});

describe('the answer to a client', () => {
  it('500 with the reason in an outage, never 401, and 401 again when a fresh set lacks the key', async () => {
    const gateway = await startGateway();
    const status = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await gateway.fetch('/regulator/session', { headers });
      return { status: response.status, body: await response.text() };
    };
    gateway.tokens.fault = (_request, response) => response.writeHead(503).end();
    const outage = await status(gateway.token);
    expect(outage.status).toBe(500);
    expect(outage.body).toContain('keys of the identity service are not available');
    expect(outage.body).not.toContain('127.0.0.1');
    expect(gateway.log.some(({ level }) => level === 50)).toBe(true);
  });

  it('401 without a look-up of keys for a token of another issuer or algorithm', async () => {
    const { tokens, url } = await startGateway();
    for (const token of [
      await tokens.sign({ iss: 'https://elsewhere.example' }),
      signAnything(tokens.key, { alg: 'HS256', kid: tokens.key.kid }, tokens.claims()),
    ]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${url}/regulator/session`, { headers })).status).toBe(401);
    }
    expect(tokens.requests.keySet).toBe(0);
  });

  it('401 at once for keys that a fresh set lacks, however many', async () => {
    const gateway = await startGateway();
    const attacker = await createSigningKey('ES256', 'unknown');
    const attempts = Array.from({ length: 50 }, async (_, index) => {
      const token = await gateway.tokens.sign({}, { key: { ...attacker, kid: `unknown-${index}` } });
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${gateway.url}/regulator/session`, { headers })).status;
    });
    expect(new Set(await Promise.all(attempts))).toEqual(new Set([401]));
    expect(gateway.tokens.requests.keySet).toBe(1);
  });
});

it('a clock that is set back stops no renewal', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const started = Date.now();
  const ofTheProcess = createTokenKeys({ jwksUrl: service.keySetUrl });
  vi.setSystemTime(started + 2 * HOUR);
  await ofTheProcess.find(service.key.kid);
  vi.setSystemTime(started);
  service.keys = [service.key, await createSigningKey('ES256', 'added')];
  vi.advanceTimersByTime(MINUTE);
  expect(await ofTheProcess.find('added')).toMatch(PEM);
});
