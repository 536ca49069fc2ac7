/** The configuration, and what it says of the connections to Temporal and PostgreSQL. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toClientOptions } from '@temporalio/envconfig';
import { describe, expect, it } from 'vitest';
import { InvalidConfiguration, loadConfig } from '../../src/config/index.ts';
import { connectionsOf, openConfiguredDatabase } from '../../src/processes/shared/parts.ts';
import { temporaryDirectory } from '../support/temporary.ts';

describe('the configuration', () => {
  it('has defaults that suit one machine', () => {
    const config = loadConfig({ HOME: '/home/someone' }, '/somewhere');
    expect(config).toMatchObject({
      gateway: { host: '127.0.0.1', port: 8080, maxUploadBytes: 2048 * 1024 * 1024 },
      dataDir: '/somewhere/.data',
      database: { embedded: true },
      temporal: { embedded: true, address: '127.0.0.1:7233' },
      auth: { embedded: true, issuer: 'http://127.0.0.1:8081', audience: 'submissions-tool' },
      quotas: { uploadsAtOnce: 32 },
      regulator: { embedded: true, concurrency: 20, ratePerSecond: 50 },
      mail: { embedded: true, defaultRecipient: null },
      healthPort: 0,
      archive: { url: 'file:/somewhere/.data/archive', retentionDays: 90, failedRetentionDays: 7 },
      worker: { roles: ['package-import', 'package-reading', 'regulator-insert'], readingConcurrency: 2 },
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('replaces an embedded part by one variable', () => {
    const config = loadConfig({
      REGULATOR_URL: 'https://regulator.example',
      AUTH_ISSUER: 'https://iam.example/realm/',
    });
    expect(config.regulator).toMatchObject({ embedded: false });
    expect(config.auth).toMatchObject({
      embedded: false,
      issuer: 'https://iam.example/realm/',
      jwksUrl: null,
    });
  });

  it('names every faulty variable', () => {
    const load = () =>
      loadConfig({
        PORT: 'eighty',
        SMTP_URL: 'mail.example',
        LOG_LEVEL: 'loud',
        DEFAULT_NOTIFICATION_EMAIL: 'nobody',
      });
    expect(load).toThrow(InvalidConfiguration);
    expect(load).toThrow(/PORT[\s\S]*SMTP_URL[\s\S]*DEFAULT_NOTIFICATION_EMAIL[\s\S]*LOG_LEVEL/);
  });

  it.each([
    ['ARCHIVE_RETENTION_DAYS', '9999999'],
    ['AUDIT_RETENTION_DAYS', '9999999'],
    ['CLIENT_UPLOADS_AT_ONCE', '1000000'],
    ['REGULATOR_CONCURRENCY', '1000000'],
    ['MAX_UPLOAD_MB', '1e13'],
  ])('refuses %s=%s, with which the service would not work', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`${name}: Too big`));
  });

  it.each(['package-import,', ',package-import', 'package-import,,regulator-insert', ','])(
    'refuses WORKER_ROLES=%s, in which a role is missing',
    (WORKER_ROLES) => {
      expect(() => loadConfig({ WORKER_ROLES })).toThrow(/WORKER_ROLES/);
    },
  );

  it('has no rate of calls to the regulator if it is 0', () => {
    expect(loadConfig({ REGULATOR_RATE_PER_SECOND: '0' }).regulator.ratePerSecond).toBeNull();
  });

  it('has the secrets that encrypt, the newest first', () => {
    const secrets = (ENCRYPTION_SECRET: string) => loadConfig({ ENCRYPTION_SECRET }).encryptionSecrets;
    expect(secrets('the newest secret, an earlier secret')).toEqual([
      'the newest secret',
      'an earlier secret',
    ]);
    expect(() => secrets('the newest secret,too short')).toThrow(/ENCRYPTION_SECRET: .* 16 characters/);
  });

  it.each(['file://host/archive', 'file://archive'])(
    'refuses %s, an archive on another machine',
    (STORAGE_URL) => {
      expect(() => loadConfig({ STORAGE_URL })).toThrow(/STORAGE_URL: must be file:\/\/\/directory/);
      for (const own of [
        'file:///archive',
        'file:/archive',
        'file://localhost/archive',
        's3://bucket/prefix',
      ])
        expect(() => loadConfig({ STORAGE_URL: own })).not.toThrow();
    },
  );

  it('treats blank variables as absent, and an empty default address as none', () => {
    const blank = { PORT: '', DEFAULT_NOTIFICATION_EMAIL: '', REGULATOR_RATE_PER_SECOND: ' ' };
    expect(loadConfig(blank)).toMatchObject({
      gateway: { port: 8080 },
      mail: { defaultRecipient: null },
      regulator: { ratePerSecond: 50 },
    });
  });

  it('shifts all ports by one number, except a configured PORT', () => {
    const config = loadConfig({ PORT_OFFSET: '10000' });
    expect([config.gateway.port, config.temporal.port, config.temporal.uiPort]).toEqual([
      18080, 17233, 18233,
    ]);
    expect([config.database.port, config.mail.port, config.mail.uiPort]).toEqual([15433, 11025, 18025]);
    expect(config.database.url).toContain('127.0.0.1:15433/');
    expect(config.temporal.address).toBe('127.0.0.1:17233');
    expect(config.auth.issuer).toBe('http://127.0.0.1:18081');
    expect(config.regulator.url).toBe('http://127.0.0.1:18082');
    expect(config.mail.url).toBe('smtp://127.0.0.1:11025');
    const { gateway, regulator } = loadConfig({ PORT: '80', PORT_OFFSET: '10000' });
    expect([gateway.port, regulator.port]).toEqual([80, 18082]);
    expect(() => loadConfig({ PORT_OFFSET: '57302' })).not.toThrow();
    for (const wrong of ['57303', '-1', '1.5'])
      expect(() => loadConfig({ PORT_OFFSET: wrong })).toThrow(/PORT_OFFSET/);
  });

  it('keeps the ZIP of a failed import no longer than other ZIPs', () => {
    expect(loadConfig({ ARCHIVE_RETENTION_DAYS: '3' }).archive.failedRetentionDays).toBe(3);
  });
});

const connectionOf = (env: Record<string, string>) =>
  toClientOptions(loadConfig(env).temporal.profile).connectionOptions;

describe('TLS to Temporal', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['nothing', {}, false],
    ['an API key', { TEMPORAL_API_KEY: 'key' }, true],
    ['an empty API key, as Docker Compose passes it on', { TEMPORAL_API_KEY: '' }, false],
    [
      'a client certificate',
      { TEMPORAL_TLS_CLIENT_CERT_DATA: 'certificate', TEMPORAL_TLS_CLIENT_KEY_DATA: 'key' },
      true,
    ],
    ['an authority', { TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'certificate' }, true],
    ['a name', { TEMPORAL_TLS_SERVER_NAME: 'temporal.example' }, true],
    ['the switch', { TEMPORAL_TLS: 'true' }, true],
    ['an API key and the switch', { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' }, false],
  ])('with %s', (_what, env, enabled) => {
    expect(Boolean(connectionOf(env).tls)).toBe(enabled);
  });

  it('requires the certificate and its key together', () => {
    for (const one of ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH']) {
      const load = () => loadConfig({ [one]: 'file.pem' });
      expect(load).toThrow(InvalidConfiguration);
      expect(load).toThrow(/TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH/);
    }
  });

  it('names the variable of a file that cannot be read, for a process that uses Temporal', () => {
    const env = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' };
    const fault = /TEMPORAL_TLS_SERVER_CA_CERT_PATH: the file cannot be read \(ENOENT.*\/nowhere\/ca\.pem/;
    expect(() => loadConfig(env, '/', 'gateway')).toThrow(fault);
    expect(() => loadConfig(env, '/', 'migration')).not.toThrow();
    const withoutTls = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:7233', TEMPORAL_TLS: 'false' };
    expect(() => loadConfig(withoutTls, '/', 'gateway')).not.toThrow();
  });

  it('is not switched off by an invalid value', () => {
    expect(() => loadConfig({ TEMPORAL_TLS: 'yes' })).toThrow(/TEMPORAL_TLS: must be true or false/);
  });
});

describe("a file of Temporal's clients", () => {
  it('is read only where a variable names it', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'temporal.toml');
    await writeFile(
      file,
      `[profile.default]
address = "a.example:7233"
[profile.default.tls]
server_name = "temporal.example"
[profile.cloud]
address = "b.example:7233"
namespace = "imports"
api_key = "key"
[profile.clear]
address = "c.example:7233"
`,
    );
    expect(loadConfig({ XDG_CONFIG_HOME: directory }).temporal).toMatchObject({ embedded: true });
    const inFile = { TEMPORAL_CONFIG_FILE: file };
    expect(loadConfig(inFile).temporal).toMatchObject({
      embedded: false,
      address: 'a.example:7233',
      namespace: 'default',
    });
    expect(loadConfig({ ...inFile, TEMPORAL_PROFILE: 'cloud' }).temporal).toMatchObject({
      address: 'b.example:7233',
      namespace: 'imports',
    });
    const load = (profile: string) => () => loadConfig({ ...inFile, TEMPORAL_PROFILE: profile });
    expect(load('clear')).toThrow(/TEMPORAL_ADDRESS: must use TLS/);
    expect(load('none')).toThrow(InvalidConfiguration);
    expect(load('none')).toThrow(/TEMPORAL_PROFILE/);
  });
});

const connectionsWith = (env: Record<string, string>, readingConcurrency = 2) => {
  const { worker } = loadConfig(env);
  return connectionsOf({ worker: { ...worker, readingConcurrency } }, worker.roles);
};

describe('the required number of connections', () => {
  it('grows with the roles of a worker, and with the packages that it reads at once', () => {
    const neededBy = (...given: Parameters<typeof connectionsWith>) => connectionsWith(...given).needed;
    expect(connectionsOf(loadConfig({}), []).needed).toBe(2);
    expect(connectionsOf(loadConfig({}), 'gateway').needed).toBe(3);
    expect(neededBy({ WORKER_ROLES: 'package-import' })).toBe(3);
    expect(neededBy({ WORKER_ROLES: 'package-import,regulator-insert' })).toBe(4);
    expect(neededBy({})).toBe(6);
    expect(neededBy({ WORKER_ROLES: 'package-reading' }, 9)).toBe(11);
  });

  it('includes the connection for leases of slots beside the pool', () => {
    const besidePool = (roles: string) => connectionsWith({ WORKER_ROLES: roles }).besidePool;
    expect(besidePool('regulator-insert')).toBe(1);
    expect(besidePool('package-import,package-reading')).toBe(0);
  });

  it('is below the default', () => {
    expect(connectionsWith({}).needed).toBeLessThanOrEqual(loadConfig({}).database.poolSize);
  });

  it('is reported with the name of the variable when fewer are configured', async () => {
    const config = loadConfig({ DATABASE_POOL_SIZE: '5' });
    const opened = openConfiguredDatabase(config, config.worker.roles);
    await expect(opened).rejects.toThrow(/DATABASE_POOL_SIZE: 5 .* needs 6 connections/);
  });
});
