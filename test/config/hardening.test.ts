/** Settings that are refused outside of one machine (decision §safe-by-default), for the parts that each program uses. */
import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/common/network.ts';
import { loadConfig, type Program } from '../../src/config/index.ts';

describe('clear text', () => {
  it.each(['AUTH_ISSUER', 'AUTH_JWKS_URL', 'AUTH_TOKEN_URL', 'REGULATOR_URL'])(
    '%s requires https, except to this machine',
    (name) => {
      const load =
        (url: string, env = {}) =>
        () =>
          loadConfig({ [name]: url, ...env });
      for (const url of ['http://iam.example/x', 'http://10.0.0.1/x', 'http://127.0.0.1.example/x'])
        expect(load(url)).toThrow(new RegExp(`${name}: must be https.*ALLOW_INSECURE=true`));
      for (const url of [
        'https://iam.example/x',
        'http://localhost:8081/x',
        'http://127.0.0.1/x',
        'http://[::1]:1/x',
      ])
        expect(load(url)).not.toThrow();
      expect(load('http://iam.example/x', { ALLOW_INSECURE: 'true' })).not.toThrow();
    },
  );

  it.each<[string, Record<string, string>, boolean]>([
    ['smtp://mail.example', {}, false],
    ['smtp://user:password@mail.example', {}, true],
    ['smtp://user:password@mail.example', { ALLOW_INSECURE: 'true' }, false],
    ['smtp://user:password@127.0.0.1:1025', {}, false],
    ['smtps://user:password@mail.example', {}, false],
  ])('credentials for %s with %o require STARTTLS: %s', (SMTP_URL, env, expected) => {
    expect(loadConfig({ SMTP_URL, ...env }).mail.requireTls).toBe(expected);
  });
});

describe('a server on another machine', () => {
  const DATABASE = 'postgresql://u:of-the-test@db.example/x';
  const BUCKET = { STORAGE_URL: 's3://bucket/prefix' };
  const unsafe: [string, Record<string, string>][] = [
    ['DATABASE_URL', { DATABASE_URL: DATABASE }],
    ['DATABASE_URL', { DATABASE_URL: `${DATABASE}?sslmode=disable` }],
    ['DATABASE_URL', { DATABASE_URL: `${DATABASE}?sslmode=require` }],
    ['DATABASE_URL', { DATABASE_URL: `${DATABASE}?sslmode=verify-full&sslmode=disable` }],
    ['DATABASE_URL', { DATABASE_URL: 'postgresql://u@localhost.example/x' }],
    ['TEMPORAL_ADDRESS', { TEMPORAL_ADDRESS: 'temporal.example:7233' }],
    ['TEMPORAL_ADDRESS', { TEMPORAL_ADDRESS: 't.example:1', TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' }],
    ['AWS_ENDPOINT_URL_S3', { ...BUCKET, AWS_ENDPOINT_URL_S3: 'http://minio.example:9000' }],
    ['AWS_ENDPOINT_URL_S3', { ...BUCKET, AWS_ENDPOINT_URL_S3: 'minio.example:9000' }],
    ['AWS_ENDPOINT_URL', { ...BUCKET, AWS_ENDPOINT_URL: 'http://10.0.0.1' }],
    ['NODE_TLS_REJECT_UNAUTHORIZED', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ];
  it.each(unsafe)('is refused by %s without TLS that verifies it: %o', (name, env) => {
    const load = () => loadConfig(env);
    expect(load).toThrow(new RegExp(`^ {2}${name}: must .*ALLOW_INSECURE=true`, 'm'));
    expect(load).not.toThrow(/of-the-test/);
    expect(() => loadConfig({ ...env, ALLOW_INSECURE: 'true' })).not.toThrow();
  });

  const safe: Record<string, string>[] = [
    { DATABASE_URL: `${DATABASE}?sslmode=verify-full` },
    { DATABASE_URL: `${DATABASE}?sslmode=verify-full&sslrootcert=system` },
    { DATABASE_URL: `${DATABASE}?sslmode=verify-ca&sslrootcert=/tls/ca.pem` },
    { DATABASE_URL: `${DATABASE}?sslmode=require&sslrootcert=/tls/ca.pem` },
    { DATABASE_URL: 'postgresql://u:p@localhost:5433/x' },
    { DATABASE_URL: 'postgresql://u:p@[::1]/x?sslmode=require' },
    { DATABASE_URL: 'postgresql://u@%2Fvar%2Frun%2Fpostgresql/x' },
    { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true' },
    { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_API_KEY: 'key' },
    { TEMPORAL_ADDRESS: '[::1]:7233' },
    { TEMPORAL_ADDRESS: '127.0.0.1:7233' },
    BUCKET,
    { ...BUCKET, AWS_ENDPOINT_URL_S3: 'https://minio.example' },
    { ...BUCKET, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000', AWS_ENDPOINT_URL: 'http://other.example' },
    { AWS_ENDPOINT_URL_S3: 'http://minio.example', STORAGE_URL: 'file:///archive' },
  ];
  it.each(safe)('is accepted with verification, or on this machine: %o', (env) => {
    expect(() => loadConfig(env)).not.toThrow();
  });
});

describe('parameters of DATABASE_URL', () => {
  it.each<[string, RegExp]>([
    ['sslmode=prefer', /sslmode must be one of disable, require, verify-ca, verify-full: prefer falls back/],
    ['sslmode=allow', /sslmode must be one of .*allow falls back/],
    ['sslmode=Verify-Full', /sslmode must be one of/],
    ['sslmode=no-verify', /sslmode must be one of/],
    ['ssl=true', /the parameter ssl is not supported/],
    ['sslmode=require&channel_binding=require', /the parameter channel_binding is not supported/],
    ['sslrootcert=/tls/ca.pem', /require sslmode/],
    ['sslmode=verify-ca', /sslmode=verify-ca requires sslrootcert/],
    ['sslmode=require&sslrootcert=system', /sslrootcert=system requires sslmode=verify-full/],
    ['sslmode=verify-full&sslcert=/tls/client.pem', /requires both sslcert and sslkey/],
  ])('%s is refused, on this machine too', (parameters, reason) => {
    const load = () =>
      loadConfig({
        DATABASE_URL: `postgresql://u:of-the-test@127.0.0.1/x?${parameters}`,
        ALLOW_INSECURE: 'true',
      });
    expect(load).toThrow(new RegExp(`DATABASE_URL: .*${reason.source}`));
    expect(load).not.toThrow(/of-the-test/);
  });

  it('an address without a host is refused, because environment variables would choose one', () => {
    expect(() => loadConfig({ DATABASE_URL: 'postgresql:///x' })).toThrow(/DATABASE_URL: has no host/);
  });
});

describe('a well-known secret', () => {
  const OPEN = { HOST: '0.0.0.0', MAIL_RECIPIENT_DOMAINS: '*' };
  const secrets: [string, Record<string, string>][] = [
    ['DATABASE_URL', { DATABASE_URL: 'postgresql://package_import:package_import@127.0.0.1/x' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgresql://u:change-me@127.0.0.1/x' }],
    ['ENCRYPTION_SECRET', { ENCRYPTION_SECRET: 'for-development-only' }],
    ['ENCRYPTION_SECRET', { ENCRYPTION_SECRET: 'change-me-change-me' }],
    ['REGULATOR_PASSWORD', { REGULATOR_URL: 'https://regulator.example' }],
    ['SMTP_URL', { SMTP_URL: 'smtps://u:change-me@mail.example' }],
  ];
  it.each(secrets)('%s is refused where the service is reachable from outside: %o', (name, env) => {
    expect(() => loadConfig({ ...OPEN, ...env })).toThrow(new RegExp(`${name}: the secret is published`));
    expect(() => loadConfig(env)).not.toThrow();
    expect(() => loadConfig({ ...OPEN, ...env, ALLOW_DEMO_PARTS: 'true' })).not.toThrow();
  });

  it('stops embedded parts from starting', () => {
    expect(() => loadConfig({ ...OPEN, SMTP_URL: 'smtps://mail.example' })).toThrow(
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

describe('recipients of mails', () => {
  const ways = [
    ['HOST=0.0.0.0', { HOST: '0.0.0.0' }],
    ['PUBLIC_URL=', { PUBLIC_URL: 'https://import.example' }],
  ] as const;

  it.each(ways)('must be confined to domains where %s opens the service', (way, open) => {
    const env = { ...open, ALLOW_DEMO_PARTS: 'true' };
    for (const program of ['gateway', 'whole service'] as const)
      expect(() => load(program, env)).toThrow(`MAIL_RECIPIENT_DOMAINS: must be set, because ${way}`);
    expect(() => load('worker', env)).not.toThrow();
    for (const MAIL_RECIPIENT_DOMAINS of ['company.example', '*'])
      expect(() => load('gateway', { ...env, MAIL_RECIPIENT_DOMAINS })).not.toThrow();
  });

  it('have no other pattern', () => {
    expect(() => loadConfig({ MAIL_RECIPIENT_DOMAINS: '*.example' })).toThrow(/MAIL_RECIPIENT_DOMAINS/);
  });
});

const load = (program: Program, env: Record<string, string>) => loadConfig(env, '/somewhere', program);

/** Addresses and secrets of every part, on other machines. */
const PARTS = {
  database: { DATABASE_URL: 'postgresql://u:of-the-test@db.example/x?sslmode=verify-full' },
  temporal: { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true' },
  auth: { AUTH_ISSUER: 'https://iam.example', MAIL_RECIPIENT_DOMAINS: 'company.example' },
  regulator: { REGULATOR_URL: 'https://regulator.example', REGULATOR_PASSWORD: 'of-the-test' },
  mail: { SMTP_URL: 'smtps://u:of-the-test@mail.example' },
};

const worker = (role: string) => ['worker', { WORKER_ROLES: role }] as const;
const used: [string, readonly [Program, Record<string, string>], (keyof typeof PARTS)[]][] = [
  ['npm start', ['whole service', {}], ['database', 'temporal', 'auth', 'regulator', 'mail']],
  ['the gateway', ['gateway', {}], ['database', 'temporal', 'auth', 'regulator']],
  ['the import worker', worker('package-import'), ['database', 'temporal', 'regulator', 'mail']],
  ['the reading worker', worker('package-reading'), ['database', 'temporal']],
  ['the insert worker', worker('regulator-insert'), ['database', 'temporal', 'regulator']],
  ['the migration', ['migration', {}], ['database']],
];

describe.each(used)('%s', (_, [program, own], parts) => {
  const complete = Object.assign({}, own, ...parts.map((part) => PARTS[part])) as Record<string, string>;

  it.each([{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://import.example/api' }])(
    'needs no part that it does not use, and no trial part in place of one that it does: %o',
    (open: Record<string, string>) => {
      expect(() => load(program, { ...open, ...complete })).not.toThrow();
      for (const part of parts) {
        const [name = ''] = Object.keys(PARTS[part]);
        const { [name]: _missing, ...others } = complete;
        const [setting] = Object.entries(open).map(([key, value]) => `${key}=${value} is open`);
        expect(() => load(program, { ...open, ...others })).toThrow(`${setting} to other machines, but`);
        expect(() => load(program, { ...open, ...others })).toThrow(`set ${name}, or ALLOW_DEMO_PARTS=true`);
        expect(() => load(program, { ...open, ...others, ALLOW_DEMO_PARTS: 'true' })).not.toThrow();
        expect(() => load(program, others)).not.toThrow();
      }
    },
  );
});

it('a public address on this machine opens nothing', () => {
  expect(() => loadConfig({ PUBLIC_URL: 'http://localhost:9000' })).not.toThrow();
});

it('secrets of the regulator that reading does not use are not checked', () => {
  const env = {
    HOST: '0.0.0.0',
    WORKER_ROLES: 'package-reading',
    ...PARTS.database,
    ...PARTS.temporal,
    REGULATOR_URL: 'http://regulator.example',
    ENCRYPTION_SECRET: 'change-me-change-me',
  };
  expect(() => load('worker', env)).not.toThrow();
  expect(load('worker', env).encryptionSecrets).toBeNull();
  const inserts = () => load('worker', { ...env, WORKER_ROLES: 'regulator-insert' });
  expect(inserts).toThrow(/REGULATOR_URL: must be https/);
  expect(inserts).toThrow(/ENCRYPTION_SECRET: the secret is published/);
  expect(inserts).toThrow(/REGULATOR_PASSWORD: the secret is published/);
});
