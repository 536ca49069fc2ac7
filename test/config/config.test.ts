import { describe, expect, it } from 'vitest';
import { InvalidConfiguration, loadConfig } from '../../src/config/index.ts';

describe('the configuration', () => {
  it('has defaults that suit one machine', () => {
    const config = loadConfig({ HOME: '/home/someone' }, '/somewhere');
    expect(config).toMatchObject({
      gateway: { host: '127.0.0.1', port: 8080 },
      dataDir: '/somewhere/.data',
      database: { embedded: true },
      temporal: { embedded: true, address: '127.0.0.1:7233' },
      auth: { embedded: true, issuer: 'http://127.0.0.1:8081', audience: 'submissions-tool' },
      regulator: { embedded: true, autoLogin: true },
      mail: { embedded: true, defaultRecipient: null },
      archive: {
        url: 'file:/somewhere/.data/archive',
        retentionDays: 90,
        maxUploadBytes: 2048 * 1024 * 1024,
      },
      worker: { roles: ['package-import', 'package-reading', 'regulator-insert'], readingConcurrency: 2 },
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('replaces an embedded part by setting one variable', () => {
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

  it('names every variable at fault', () => {
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

  it('treats blank variables as absent, and an empty default address as none', () => {
    expect(loadConfig({ PORT: '', DEFAULT_NOTIFICATION_EMAIL: '' })).toMatchObject({
      gateway: { port: 8080 },
      mail: { defaultRecipient: null },
    });
  });

  it('refuses to log in automatically with a real regulator', () => {
    expect(() =>
      loadConfig({ REGULATOR_URL: 'https://regulator.example', REGULATOR_AUTO_LOGIN: 'true' }),
    ).toThrow(/REGULATOR_AUTO_LOGIN/);
  });
});
