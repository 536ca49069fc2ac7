/** What is refused outside of one machine (architecture §safe-by-default). */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { isLoopback } from '../../src/domain/loopback.ts';
import { startWholeService } from '../../src/processes/whole-service/whole-service.ts';

describe('clear text', () => {
  it.each(['AUTH_ISSUER', 'AUTH_JWKS_URL', 'REGULATOR_URL'])('%s is https, or on this machine', (name) => {
    const load =
      (url: string, env = {}) =>
      () =>
        loadConfig({ [name]: url, ...env });
    for (const url of ['http://iam.example/x', 'http://10.0.0.1/x', 'http://127.0.0.1.example/x'])
      expect(load(url)).toThrow(new RegExp(`${name}: must be https.*ALLOW_INSECURE_HTTP=true`));
    for (const url of [
      'https://iam.example/x',
      'http://localhost:8081/x',
      'http://127.0.0.1/x',
      'http://[::1]:1/x',
    ])
      expect(load(url)).not.toThrow();
    expect(load('http://iam.example/x', { ALLOW_INSECURE_HTTP: 'true' })).not.toThrow();
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['smtp://mail.example', {}, false],
    ['smtp://user:password@mail.example', {}, true],
    ['smtp://user:password@mail.example', { ALLOW_INSECURE_HTTP: 'true' }, false],
    ['smtp://user:password@127.0.0.1:1025', {}, false],
    ['smtps://user:password@mail.example', {}, false],
  ])('credentials for %s with %o wait for STARTTLS: %s', (SMTP_URL, env, expected) => {
    expect(loadConfig({ SMTP_URL, ...env }).mail.requireTls).toBe(expected);
  });
});

describe('what everybody knows', () => {
  const OPEN = { HOST: '0.0.0.0' };
  const secrets: [string, Record<string, string>][] = [
    ['DATABASE_URL', { DATABASE_URL: 'postgresql://package_import:package_import@db/x' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgresql://u:change-me@db/x' }],
    ['ENCRYPTION_SECRET', { ENCRYPTION_SECRET: 'for-development-only' }],
    ['ENCRYPTION_SECRET', { ENCRYPTION_SECRET: 'change-me-change-me' }],
    ['TEMPORAL_PAYLOAD_KEYS', { TEMPORAL_PAYLOAD_KEYS: 'first:change-me-change-me' }],
    ['REGULATOR_PASSWORD', { REGULATOR_URL: 'https://regulator.example' }],
    ['SMTP_URL', { SMTP_URL: 'smtps://u:change-me@mail.example' }],
  ];
  it.each(secrets)('%s is refused where others reach the service: %o', (name, env) => {
    expect(() => loadConfig({ ...OPEN, ...env })).toThrow(new RegExp(`${name}: the secret is one`));
    expect(() => loadConfig(env)).not.toThrow();
    expect(() => loadConfig({ ...OPEN, ...env, ALLOW_DEMO_PARTS: 'true' })).not.toThrow();
  });

  it('embedded parts do not start', async () => {
    const config = loadConfig({ ...OPEN, DATA_DIR: '/nowhere/at/all', SMTP_URL: 'smtps://mail.example' });
    const started = startWholeService(config, {}, () => {});
    await expect(started).rejects.toThrow(
      /HOST=0\.0\.0\.0.*DATABASE_URL, TEMPORAL_ADDRESS, AUTH_ISSUER, REGULATOR_URL\b/,
    );
  });

  it.each<[string, boolean]>([
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['localhost.example', false],
    ['10.0.0.1', false],
  ])('%s is this machine: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
