/** What gateways and workers are told in production: TLS to Temporal, keys, names. */
import { describe, expect, it } from 'vitest';
import { InvalidConfiguration, loadConfig } from '../../src/config/index.ts';
import { identityOf } from '../../src/temporal/identity.ts';

describe('TLS to Temporal', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['nothing', {}, false],
    ['an API key', { TEMPORAL_API_KEY: 'key' }, true],
    ['a client certificate', { TEMPORAL_TLS_CERT: 'a.pem', TEMPORAL_TLS_KEY: 'a.key' }, true],
    ['an authority', { TEMPORAL_TLS_CA: 'ca.pem' }, true],
    ['a name', { TEMPORAL_TLS_SERVER_NAME: 'temporal.example' }, true],
    ['the switch', { TEMPORAL_TLS: 'true' }, true],
    ['an API key and the switch', { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' }, false],
  ])('with %s', (_what, env, enabled) => {
    expect(loadConfig(env).temporal.tls.enabled).toBe(enabled);
  });

  it('needs the certificate and its key', () => {
    for (const one of ['TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY'])
      expect(() => loadConfig({ [one]: 'file.pem' })).toThrow(InvalidConfiguration);
  });
});

describe('names of workers', () => {
  it('are filled in, and nothing else is', () => {
    expect(identityOf('package-import', '{role} in {zone}, {pid}')).toBe(
      `package-import in {zone}, ${process.pid}`,
    );
  });
});
