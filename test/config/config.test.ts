import { describe, expect, it } from 'vitest';
import { InvalidConfiguration, loadConfig } from '../../src/config/index.ts';

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
      regulator: { embedded: true, autoLogin: true, concurrency: 20, ratePerSecond: 50 },
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
    expect(config.regulator).toMatchObject({ embedded: false, autoLogin: false });
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

  it('has no rate of calls to the regulator if it is 0', () => {
    expect(loadConfig({ REGULATOR_RATE_PER_SECOND: '0' }).regulator.ratePerSecond).toBeNull();
  });

  it('treats blank variables as absent, and an empty default address as none', () => {
    expect(loadConfig({ PORT: '', DEFAULT_NOTIFICATION_EMAIL: '' })).toMatchObject({
      gateway: { port: 8080 },
      mail: { defaultRecipient: null },
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
