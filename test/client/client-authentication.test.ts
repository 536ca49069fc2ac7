/** Every way to authenticate a client, against the embedded identity service: a real OpenID provider. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, type JWK } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAccessTokens } from '../../cli/client/access-tokens.ts';
import type { TokenOptions } from '../../cli/client/options.ts';
import { listen } from '../../src/http/server.ts';
import {
  createIdentityService,
  DEMO_CLIENT,
  type KeyClient,
  keyClient,
} from '../../src/trial-parts/identity-service/identity-service.ts';
import { freePorts } from '../support/free-ports.ts';

const { privateKey: rsaKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key: JWK = { ...rsaKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'the-key' };

async function startIdentityService(...keyClients: KeyClient[]): Promise<string> {
  const [port = 0] = await freePorts(1);
  const issuer = `http://127.0.0.1:${port}`;
  const clients = [DEMO_CLIENT, keyClient(key), ...keyClients];
  const page = { clientId: 'package-import-app', urls: ['http://127.0.0.1:1/app/'] };
  const app = createIdentityService({ issuer, audience: 'gateway', clients, signingKey: key, app: page });
  const server = await listen(app, { host: '127.0.0.1', port });
  onTestFinished(() => server.close(500));
  return issuer;
}

const tokenFor = async (issuer: string, options: Omit<TokenOptions, 'tokenUrl'>) =>
  decodeJwt(await createAccessTokens({ tokenUrl: `${issuer}/oauth2/token`, ...options }).current());

describe('a client', () => {
  it.each<[string, () => Omit<TokenOptions, 'tokenUrl'>]>([
    ['a secret in the form', () => ({ clientId: 'demo-client', clientSecret: 'demo-secret' })],
    [
      'a secret in the header',
      () => ({ clientId: 'demo-client', clientSecret: 'demo-secret', authMethod: 'client_secret_basic' }),
    ],
    ['a JSON Web Key', () => ({ clientId: 'demo-key', privateKey: JSON.stringify(key) })],
    ['a PEM file', () => ({ clientId: 'demo-key', privateKey: pemOf(rsaKey) })],
  ])('with %s gets a token', async (_name, credentials) => {
    const issuer = await startIdentityService();
    const options = credentials();
    expect(await tokenFor(issuer, options)).toMatchObject({ client_id: options.clientId, aud: 'gateway' });
  });

  it('with a key signs for the configured issuer', async () => {
    const issuer = await startIdentityService();
    const options = { clientId: 'demo-key', privateKey: JSON.stringify(key) };
    expect(await tokenFor(issuer, { ...options, issuer })).toMatchObject({ client_id: 'demo-key' });
    const foreign = tokenFor(issuer, { ...options, issuer: 'https://iam.example' });
    await expect(foreign).rejects.toMatchObject({ service: 'identity service', status: 401 });
  });

  it.each(['ec', 'ed25519'] as const)('with a key of type %s gets a token', async (kind) => {
    const { privateKey, publicKey } =
      kind === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
    const client = keyClient({ ...(publicKey.export({ format: 'jwk' }) as JWK), kid: 'k' });
    const issuer = await startIdentityService({ ...client, clientId: kind });
    const options = { clientId: kind, privateKey: pemOf(privateKey) };
    expect(await tokenFor(issuer, options)).toMatchObject({ client_id: kind });
  });

  it('with a wrong secret, or a secret in place of a key, is refused with the reason', async () => {
    const issuer = await startIdentityService();
    const wrong = tokenFor(issuer, { ...DEMO_CLIENT, clientSecret: 'wrong' });
    await expect(wrong).rejects.toThrow(
      /No access token for client "demo-client": .* answered 401 \(invalid/,
    );
    const secret = { clientId: 'demo-key', clientSecret: 'demo-secret' };
    await expect(tokenFor(issuer, secret)).rejects.toMatchObject({
      status: 401,
      message: expect.not.stringContaining('demo-secret'),
    });
  });
});

describe('unusable credentials', () => {
  const rejected = (options: Partial<TokenOptions>) =>
    createAccessTokens({ tokenUrl: 'http://127.0.0.1:1/token', clientId: 'x', ...options }).current();

  it('name what is missing, and nothing is sent', async () => {
    await expect(rejected({})).rejects.toThrow('There is no secret for client "x".');
    await expect(rejected({ authMethod: 'private_key_jwt' })).rejects.toThrow('There is no private key');
  });

  it('are reported without the content of the key', async () => {
    const rotten = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
    await expect(rejected({ privateKey: rotten })).rejects.toThrow(
      /^The private key cannot be used: it is not/,
    );
    await expect(rejected({ privateKey: '{"kty":"RSA","d":"c2VjcmV0"' })).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('c2VjcmV0') }),
    );
  });
});

function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}
