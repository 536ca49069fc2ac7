/** Interface §5, decision §access-tokens-only: accepted and refused tokens, attack by attack. */
import { createHmac, KeyObject } from 'node:crypto';
import { EncryptJWT, exportJWK, importJWK } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../support/connection.ts';
import { head } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';
import {
  AUDIENCE,
  base64url,
  type Claims,
  createSigningKey,
  type SigningKey,
  signAnything,
  startTokenIssuer,
} from '../support/token-issuer.ts';

/** A route that needs only a permission and the session. */
const PATH = '/regulator/session';

const gateway = await startGateway();
const tokens = gateway.tokens;
/** A trusted key of another kind. */
const ecKey = await createSigningKey('ES256');
tokens.keys.push(ecKey);
/** An identity service of an attacker, with keys of its own. */
const evil = await startTokenIssuer();
afterEach(() => {
  // The log contains no part of any token, decoded or not.
  const lines = JSON.stringify(gateway.log);
  gateway.log.length = 0;
  expect(lines).not.toMatch(/eyJ[\w-]{8}/);
  expect(lines).not.toContain('submissions-tool.operate');
  expect(evil.requests).toEqual({ keySet: 0, metadata: 0 });
});

async function status(authorization: string | null, path = PATH, init: RequestInit = {}): Promise<number> {
  const headers = { ...init.headers, ...(authorization !== null && { authorization }) };
  const response = await fetch(gateway.url + path, { ...init, headers });
  const body = await response.json();
  if (response.status === 401) {
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="submissions-tool"/);
    expect(body).toMatchObject({ status: 'error', message: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('eyJ');
  }
  return response.status;
}

const bearer = async (token: string | Promise<string>) => status(`Bearer ${await token}`);
const ordinary = (changes: Claims = {}) => ({ alg: 'RS256', kid: tokens.key.kid, typ: 'at+jwt', ...changes });

type Attacks = Record<string, () => string | Promise<string>>;

function refuses(attacks: Attacks): void {
  for (const [title, token] of Object.entries(attacks)) {
    it(`${title}: 401`, async () => {
      expect(await bearer(token())).toBe(401);
    });
  }
}

describe('accepted', () => {
  const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ');
  it.each(algorithms)('%s', async (algorithm) => {
    const own = await startGateway();
    const key = await createSigningKey(algorithm);
    own.tokens.keys = [key];
    const token = await own.tokens.sign({}, { key });
    const accepted = await fetch(own.url + PATH, { headers: { authorization: `Bearer ${token}` } });
    const [first, second, signature = ''] = token.split('.');
    const forged = `${first}.${second}.${base64url(Buffer.from(signature, 'base64url').fill(1, 10, 12))}`;
    const refused = await fetch(own.url + PATH, { headers: { authorization: `Bearer ${forged}` } });
    expect([accepted.status, refused.status]).toEqual([200, 401]);
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('the scheme as %s', async (scheme) => {
    expect(await status(`${scheme} ${gateway.token}`)).toBe(200);
    expect(await status(`${scheme}   ${gateway.token}  `)).toBe(200);
  });

  it.each([
    ['type at+jwt (RFC 9068)', { typ: 'at+jwt' }, {}],
    ['type application/AT+JWT', { typ: 'application/AT+JWT' }, {}],
    ['claim token_use', { typ: 'JWT' }, { token_use: 'access' }],
    ["Keycloak's claim typ", { typ: 'JWT' }, { typ: 'Bearer' }],
    ['no header type, and a claim', { typ: undefined }, { typ: 'Bearer' }],
    ['our audience among others', {}, { aud: ['other', AUDIENCE] }],
    ['not before now', {}, { nbf: () => Math.floor(Date.now() / 1000) }],
    ['a small difference of the clocks', {}, { exp: () => Math.floor(Date.now() / 1000) - 1 }],
    ['a life of a day', {}, { exp: () => Math.floor(Date.now() / 1000) + 24 * 3600 }],
    ['an expiry with a fraction', {}, { exp: () => Date.now() / 1000 + 60 }],
    [
      'permissions in scope',
      {},
      { permissions: undefined, scope: 'a submissions-tool.regulator-session.manage' },
    ],
    ['azp in place of client_id', {}, { client_id: undefined, azp: 'client' }],
  ] as [string, Claims, Claims][])('%s', async (_title, header, claims) => {
    const now = Object.entries(claims).map(([name, value]) => [
      name,
      typeof value === 'function' ? value() : value,
    ]);
    expect(await bearer(tokens.sign(Object.fromEntries(now), { header }))).toBe(200);
  });
});

describe('without a signature of our key', () => {
  const unsigned = (alg: unknown, signature = '') =>
    `${base64url(JSON.stringify(ordinary({ alg })))}.${base64url(JSON.stringify(tokens.claims()))}.${signature}`;
  const hmac = (secret: string | Buffer, alg = 'HS256') => {
    const input = unsigned(alg).slice(0, -1);
    return `${input}.${base64url(
      createHmac(`sha${alg.slice(2)}`, secret)
        .update(input)
        .digest(),
    )}`;
  };
  const publicKey = () => KeyObject.from(tokens.key.publicKey);
  const pem = () => publicKey().export({ type: 'spki', format: 'pem' }) as string;

  refuses({
    'alg none': () => unsigned('none'),
    'alg None': () => unsigned('None'),
    'alg NONE': () => unsigned('NONE'),
    'alg nOnE': () => unsigned('nOnE'),
    'alg none with a signature': () => unsigned('none', 'AAAA'),
    'alg of our list, and no signature': () => unsigned('RS256'),
    'no alg': () => unsigned(undefined, 'AAAA'),
    'alg as a list': () => signAnything(tokens.key, ordinary({ alg: ['RS256'] }), tokens.claims()),
    'alg as a number': () => signAnything(tokens.key, ordinary({ alg: 256 }), tokens.claims()),
    'alg in small letters': () => signAnything(tokens.key, ordinary({ alg: 'rs256' }), tokens.claims()),
    'HS256 with our public key as its secret': () => hmac(pem()),
    'HS256 with our public key, without its last line end': () => hmac(pem().trim()),
    'HS384 with our public key': () => hmac(pem(), 'HS384'),
    'HS512 with our public key': () => hmac(pem(), 'HS512'),
    'HS256 with our public key as DER': () =>
      hmac(publicKey().export({ type: 'spki', format: 'der' }) as Buffer),
    'HS256 with our public key as JWK': () => hmac(JSON.stringify(tokens.key.jwk)),
    'HS256 with an empty secret': () => hmac(''),
    'another key under our key id': () =>
      tokens.sign({}, { key: { ...evil.key, kid: tokens.key.kid } as SigningKey }),
    'ES256 by the id of an RSA key': () => tokens.sign({}, { key: ecKey, header: { kid: tokens.key.kid } }),
    'RS256 by the id of an elliptic key': () =>
      signAnything(tokens.key, ordinary({ kid: ecKey.kid }), tokens.claims()),
    'PS256 that was signed as RS256': () =>
      signAnything(tokens.key, ordinary({ alg: 'PS256' }), tokens.claims()),
    ES256K: () => unsigned('ES256K', 'AAAA'),
    RS1: () => unsigned('RS1', 'AAAA'),
    'EdDSA by the id of an RSA key': () => unsigned('EdDSA', 'AAAA'),
  });
});

describe('hostile headers', () => {
  const by = (header: Claims) => () => signAnything(evil.key, ordinary({ ...header }), tokens.claims());
  refuses({
    'unknown kid': by({ kid: 'unknown' }),
    'kid that is a path': by({ kid: '../../../../dev/null' }),
    'kid that is a URL': () => signAnything(evil.key, ordinary({ kid: evil.keySetUrl }), tokens.claims()),
    'kid that is SQL': by({ kid: "' UNION SELECT 'key' -- " }),
    'kid that is a command': by({ kid: '| cat /etc/passwd' }),
    'kid from the prototype': by({ kid: '__proto__' }),
    'kid constructor': by({ kid: 'constructor' }),
    'very long kid': by({ kid: 'k'.repeat(8_000) }),
    'empty kid': by({ kid: '' }),
    'kid with NUL': by({ kid: 'key-RS256\0' }),
    'kid as a number': by({ kid: 0 }),
    'kid as a list': () => signAnything(tokens.key, ordinary({ kid: [tokens.key.kid] }), tokens.claims()),
    'kid as an object': by({ kid: { $ne: null } }),
    'kid null': by({ kid: null }),
    'no kid, where there are several keys': () => tokens.sign({}, { header: { kid: undefined as never } }),
    'jwk: a key in the token itself': async () =>
      signAnything(evil.key, ordinary({ jwk: evil.key.jwk, kid: evil.key.kid }), tokens.claims()),
    'jku: the address of other keys': () =>
      signAnything(evil.key, ordinary({ jku: evil.keySetUrl }), tokens.claims()),
    'x5u: the address of a certificate': () =>
      signAnything(evil.key, ordinary({ x5u: `${evil.issuer}/certificate` }), tokens.claims()),
    'x5c: a certificate in the token': () =>
      signAnything(evil.key, ordinary({ x5c: ['MIIB'], x5t: 'AAAA' }), tokens.claims()),
    'crit, even with our signature': () =>
      signAnything(tokens.key, ordinary({ crit: ['exp'] }), tokens.claims()),
    'empty crit': () => signAnything(tokens.key, ordinary({ crit: [] }), tokens.claims()),
    'crit null': () => signAnything(tokens.key, ordinary({ crit: null }), tokens.claims()),
    'b64 switched off': () =>
      signAnything(tokens.key, ordinary({ b64: false, crit: ['b64'] }), tokens.claims()),
  });
});

describe('issuer and audience', () => {
  const issuers: [string, () => unknown][] = [
    ['another', () => evil.issuer],
    ['ours with a slash', () => `${tokens.issuer}/`],
    ['ours and more', () => `${tokens.issuer}.evil.example`],
    ['the beginning of ours', () => tokens.issuer.slice(0, -1)],
    ['ours in capitals', () => tokens.issuer.toUpperCase()],
    ['ours with a blank', () => `${tokens.issuer} `],
    ['ours in a list', () => [tokens.issuer]],
    ['ours among others', () => [tokens.issuer, evil.issuer]],
    ['empty', () => ''],
    ['null', () => null],
    ['none', () => undefined],
    ['an object', () => ({ toString: tokens.issuer })],
  ];
  it.each(issuers)('issuer %s: 401, and no key is fetched for it', async (_title, iss) => {
    const before = { ...tokens.requests };
    const token = signAnything(
      evil.key,
      ordinary({ kid: crypto.randomUUID() }),
      tokens.claims({ iss: iss() }),
    );
    expect(await bearer(token)).toBe(401);
    expect(await bearer(signAnything(tokens.key, ordinary(), tokens.claims({ iss: iss() })))).toBe(401);
    expect(tokens.requests).toEqual(before);
  });

  const audiences: unknown[] = [
    ...['other', '', `${AUDIENCE}/`, `${AUDIENCE}x`, AUDIENCE.slice(0, -1), AUDIENCE.toUpperCase()],
    ...[` ${AUDIENCE}`, `${AUDIENCE} other`, `other,${AUDIENCE}`, null, undefined, true, 0],
    ...[[], ['other'], [[AUDIENCE]], [`${AUDIENCE}/`], { [AUDIENCE]: true }, [{ aud: AUDIENCE }]],
  ];
  it.each(audiences.map((aud) => [JSON.stringify(aud) ?? 'missing', aud]))(
    'audience %s: 401',
    async (_title, aud) => {
      expect(await bearer(signAnything(tokens.key, ordinary(), tokens.claims({ aud })))).toBe(401);
    },
  );
});

describe('times', () => {
  const now = Math.floor(Date.now() / 1000);
  const raw = (text: string) => () => {
    const claims = JSON.stringify(tokens.claims({ exp: undefined }));
    return signAnything(tokens.key, ordinary(), `${claims.slice(0, -1)},"exp":${text}}`);
  };
  refuses({
    expired: () => tokens.sign({ exp: now - 60 }),
    'expired a moment ago, beyond the tolerance': () => tokens.sign({ exp: now - 10 }),
    'not yet valid': () => tokens.sign({ nbf: now + 600 }),
    'not before, as text': () => signAnything(tokens.key, ordinary(), tokens.claims({ nbf: 'tomorrow' })),
    'without expiry': () => tokens.sign({ exp: undefined }),
    'expiry as text': () => signAnything(tokens.key, ordinary(), tokens.claims({ exp: String(now + 900) })),
    'expiry null': raw('null'),
    'expiry true': raw('true'),
    'expiry as a list': raw(`[${now + 900}]`),
    'expiry beyond all numbers': raw('1e999'),
    'expiry at the end of time': raw(String(Number.MAX_SAFE_INTEGER)),
    'expiry in milliseconds': raw(String(Date.now() + 900_000)),
    'a life of more than a day': () => tokens.sign({ iat: now, exp: now + 24 * 3600 + 60 }),
    'a life of more than a day, nearly over': () =>
      tokens.sign({ iat: now - 30 * 24 * 3600, exp: now + 600 }),
    'a life of more than a day by its beginning': () =>
      tokens.sign({ iat: undefined, nbf: now - 30 * 24 * 3600, exp: now + 600 }),
    'more than a day left, whenever it was issued': () =>
      tokens.sign({ iat: undefined, exp: now + 25 * 3600 }),
    'issued in the future': () => tokens.sign({ iat: now + 30 * 24 * 3600, exp: now + 30 * 24 * 3600 + 60 }),
    'negative expiry': raw('-1'),
    'expiry zero': raw('0'),
  });
});

describe('type', () => {
  const typed =
    (header: Claims, claims: Claims = {}) =>
    () =>
      signAnything(tokens.key, ordinary(header), tokens.claims(claims));
  refuses({
    'an ID token as most issue it': typed({ typ: 'JWT' }, { nonce: 'n', at_hash: 'h' }),
    'an ID token of Keycloak': typed({ typ: 'JWT' }, { typ: 'ID' }),
    'an ID token of Cognito': typed({ typ: undefined }, { token_use: 'id' }),
    'an ID token that says at+jwt': typed({}, { typ: 'ID' }),
    'a refresh token of Keycloak': typed({ typ: 'JWT' }, { typ: 'Refresh' }),
    'an offline token': typed({ typ: 'JWT' }, { typ: 'Offline' }),
    'a logout token': typed({ typ: 'logout+jwt' }, { typ: 'Bearer' }),
    'a proof of possession': typed({ typ: 'dpop+jwt' }, { typ: 'Bearer' }),
    'an introspection answer': typed({ typ: 'token-introspection+jwt' }, { token_use: 'access' }),
    'a header type that is a number': typed({ typ: 1 }, { typ: 'Bearer' }),
    'a header type that is an object': typed({ typ: { toString: 1 } }, { typ: 'Bearer' }),
    'a type in small letters': typed({ typ: 'JWT' }, { typ: 'bearer' }),
    'a token that is bound to a key': typed({}, { cnf: { jkt: 'thumbprint' } }),
    'a token of nobody': typed({}, { client_id: undefined, sub: undefined }),
    'a client that is an object': typed({}, { client_id: { a: 1 } }),
    'a client with a line end': typed({}, { client_id: 'a\nb' }),
    'a client with NUL': typed({}, { client_id: 'a\0' }),
    'a client with an endless name': typed({}, { client_id: 'c'.repeat(256) }),
  });
});

describe('a JWT that does not say what it is', () => {
  const plain = { header: { typ: 'JWT' } };

  it('is refused, and the answer names the variable that accepts it', async () => {
    const refused = await gateway.fetch(PATH, {
      headers: { authorization: `Bearer ${await tokens.sign({}, plain)}` },
    });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/error="invalid_token".*AUTH_PLAIN_JWT=true/);
    expect(await refused.json()).toMatchObject({
      message: expect.stringContaining('AUTH_PLAIN_JWT=true'),
      data: { code: 'invalid_token' },
    });
  });

  describe('where AUTH_PLAIN_JWT is true', async () => {
    const accepting = await startGateway({
      change: ({ tokens }) => ({ tokens: { ...tokens, acceptsPlain: true } }),
    });
    const statusOf = async (claims: Claims, header: Claims = plain.header) => {
      const token = await accepting.tokens.sign(claims, { header });
      return (await accepting.fetch(PATH, { headers: { authorization: `Bearer ${token}` } })).status;
    };

    it('is accepted', async () => {
      expect(await statusOf({})).toBe(200);
      expect(await statusOf({}, { typ: undefined })).toBe(200);
      expect(await statusOf({}, { typ: 'at+jwt' })).toBe(200);
    });

    it.each<[string, Claims, Claims?]>([
      ['the nonce of an ID token', { nonce: 'n' }],
      ['the hash of an access token', { at_hash: 'h' }],
      ['the hash of a code', { c_hash: 'h' }],
      ['another audience', { aud: 'another' }],
      ['no audience', { aud: undefined }],
      ['the type of an ID token', { typ: 'ID' }],
      ['the use of an ID token', { token_use: 'id' }],
      ['another header type', {}, { typ: 'logout+jwt' }],
    ])('with %s: 401', async (_title, claims, header) => {
      expect(await statusOf(claims, header)).toBe(401);
    });

    it('without the permission: 403', async () => {
      expect(await statusOf({ permissions: [] })).toBe(403);
    });
  });
});

describe('form', () => {
  const signature = (token: string) => token.split('.')[2] ?? '';
  const [alphabet, unusedBits] = ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 4];
  /** Another spelling of the same signature: its last letter has unused bits. */
  const respelled = (token: string) => {
    const last = alphabet.indexOf(token.at(-1) ?? '');
    return token.slice(0, -1) + alphabet[last ^ (1 << (unusedBits - 1))];
  };
  const parts = () => gateway.token.split('.') as [string, string, string];
  const claimsText = () => JSON.stringify(tokens.claims());
  const duplicate = (name: string, value: string) => () =>
    signAnything(tokens.key, ordinary(), claimsText().replace('{', `{"${name}":${value},`));
  refuses({
    'a changed claim': () => {
      const [header, claims, signed] = parts();
      const changed = Buffer.from(claims, 'base64url').toString().replace('"client"', '"other!"');
      return `${header}.${base64url(changed)}.${signed}`;
    },
    'a changed header': () => {
      const [, claims, signed] = parts();
      return `${base64url(JSON.stringify(ordinary({ extra: 1 })))}.${claims}.${signed}`;
    },
    'another signature of ours': async () => {
      const [header, claims] = parts();
      return `${header}.${claims}.${signature(await tokens.sign({ jti: '1' }))}`;
    },
    'a signature spelled differently': () => respelled(gateway.token),
    'a signature with padding': () => `${gateway.token}==`,
    'a signature cut short': () => gateway.token.slice(0, -1),
    'a signature that is empty': () => `${parts()[0]}.${parts()[1]}.`,
    'two parts': () => `${parts()[0]}.${parts()[1]}`,
    'one part': () => parts()[0],
    'four parts': () => `${gateway.token}.AAAA`,
    'dots alone': () => '..',
    'no JSON in the header': () => `${base64url('nonsense')}.${parts()[1]}.${parts()[2]}`,
    'a header that is a list': () => signAnything(tokens.key, '["RS256"]', tokens.claims()),
    'a header that is null': () => signAnything(tokens.key, 'null', tokens.claims()),
    'claims that are null': () => signAnything(tokens.key, ordinary({ typ: 'JWT' }), 'null'),
    'claims that are text': () => signAnything(tokens.key, ordinary(), '"text"'),
    'claims that are a list': () => signAnything(tokens.key, ordinary(), '[]'),
    'claims that are no UTF-8': () =>
      signAnything(tokens.key, ordinary(), claimsText()).replace(
        /\.[^.]+\./,
        `.${base64url(Uint8Array.of(0xff))}.`,
      ),
    'a JWT in a JWT': () => signAnything(tokens.key, ordinary({ cty: 'JWT' }), gateway.token),
    'issuer given twice': duplicate('iss', '"http://evil.example"'),
    'expiry given twice': duplicate('exp', '0'),
    'a claim given twice, once escaped': duplicate('\\u0069ss', '"http://evil.example"'),
    'a nested claim given twice': duplicate('realm_access', '{"roles":[],"roles":["a"]}'),
    'kid given twice': () =>
      signAnything(tokens.key, JSON.stringify(ordinary()).replace('{', '{"kid":"other",'), tokens.claims()),
  });

  it('the same name in different objects is no repetition', async () => {
    expect(
      await bearer(tokens.sign({ a: { x: 1, y: ['x', { x: 2 }] }, x: '"x":{', b: [{ x: 1 }, { x: 1 }] })),
    ).toBe(200);
  });

  it('an encrypted token: 401', async () => {
    const encrypted = await new EncryptJWT(tokens.claims())
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: tokens.key.kid })
      .encrypt(await importJWK(await exportJWK(tokens.key.publicKey), 'RSA-OAEP-256'));
    expect(await bearer(encrypted)).toBe(401);
  });
});

describe('place', () => {
  it.each([
    ['nothing', null],
    ['an empty header', ''],
    ['the scheme alone', 'Bearer'],
    ['another scheme', 'Basic Y2xpZW50OnNlY3JldA=='],
    ['a scheme that begins like it', 'Bearers TOKEN'],
    ['no blank', 'BearerTOKEN'],
    ['a colon', 'Bearer: TOKEN'],
    ['a tabulator', 'Bearer\tTOKEN'],
    ['quotes', 'Bearer "TOKEN"'],
    ['two tokens', 'Bearer TOKEN TOKEN'],
    ['a list', 'Bearer TOKEN, Bearer TOKEN'],
    ['parameters', 'Bearer token=TOKEN'],
  ])('%s: 401', async (_title, authorization) => {
    expect(await status(authorization?.replaceAll('TOKEN', gateway.token) ?? null)).toBe(401);
  });

  it('in the query, a cookie, a form or another header: 401', async () => {
    expect(await status(null, `${PATH}?access_token=${gateway.token}`)).toBe(401);
    expect(
      await status(null, PATH, {
        headers: { cookie: `token=${gateway.token}; access_token=${gateway.token}` },
      }),
    ).toBe(401);
    expect(
      await status(null, PATH, {
        headers: { 'x-access-token': gateway.token, 'x-forwarded-authorization': `Bearer ${gateway.token}` },
      }),
    ).toBe(401);
    const body = new URLSearchParams({ access_token: gateway.token });
    expect(await status(null, '/regulator/session', { method: 'POST', body })).toBe(401);
  });

  const [good, bad] = [`Bearer ${gateway.token}`, 'Bearer x'];
  it.each([
    ['the same twice', good, good],
    ['a good one and a bad one', good, bad],
    ['a bad one and a good one', bad, good],
  ])('several Authorization headers, %s: 401', async (_title, first, second) => {
    const connection = await Connection.open(gateway.port);
    await connection.send(
      head({ Authorization: first, authorization: second }, { method: 'GET', path: PATH }),
    );
    expect(await connection.status()).toBe(401);
    connection.destroy();
  });
});
