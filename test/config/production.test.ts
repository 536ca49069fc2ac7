/** Settings of gateways and workers in production: the connection to Temporal. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toClientOptions } from '@temporalio/envconfig';
import { describe, expect, it } from 'vitest';
import { InvalidConfiguration, loadConfig } from '../../src/config/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';

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
