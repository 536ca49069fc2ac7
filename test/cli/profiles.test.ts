/** Stored connections: their precedence, and the access rights of the secret. */
import { generateKeyPairSync } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { decodeJwt } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Interrupted } from '../../cli/outcome.ts';
import { configDirectory } from '../../cli/profiles.ts';
import type { Input } from '../../cli/screen.ts';
import { run } from '../support/command.ts';
import { answer, type FakeService, startFakeService } from '../support/fake-service.ts';
import { listenLocally } from '../support/local-server.ts';
import { temporaryDirectory } from '../support/temporary.ts';

afterEach(() => vi.unstubAllEnvs());

const startService = () =>
  startFakeService(({ response }) =>
    answer(response, 200, 'Package imports.', { data: { imports: [], next_before: null } }),
  );

const at = ({ options }: FakeService, clientId = 'company') => [...options, '--client-id', clientId];

/** Logs in, and returns the address. */
async function loggedIn(service: FakeService, ...args: string[]): Promise<string> {
  const directory = await temporaryDirectory();
  const stdin = Readable.from(['the secret\nmore']);
  const { code, stderr } = await run(['login', ...at(service), ...args], {
    stdin,
    configDirectory: directory,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return directory;
}

function keyboard() {
  const typed = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => typed });
  return typed;
}

const tokenForms = (service: FakeService) =>
  service.tokenRequests.map(({ body }) => new URLSearchParams(body));

describe('login', () => {
  it('stores connection and secret privately, and uses them', async () => {
    const service = await startService();
    const directory = await loggedIn(service);
    expect(await readdir(directory)).toEqual(['profiles.json']);
    expect((await stat(join(directory, 'profiles.json'))).mode & 0o777).toBe(0o600);
    const listed = await run(['list'], { configDirectory: directory });
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const [, form] = tokenForms(service);
    expect([form?.get('client_id'), form?.get('client_secret')]).toEqual(['company', 'the secret']);
    const profiles = await run(['profiles'], { configDirectory: directory });
    expect(profiles.stdout).toMatch(/│ default +│ company +│ client_secret_post +│ http/);
    expect(profiles.stdout).not.toContain('the secret');
    const json = await run(['profiles', '--json'], { configDirectory: directory });
    expect(json.stdout).toContain('company');
    expect(json.stdout).not.toContain('the secret');
  });

  it('stores nothing when the identity service refuses the client', async () => {
    const service = await startFakeService(() => {});
    service.refuseTokens = true;
    const directory = await temporaryDirectory();
    const options = { stdin: Readable.from(['wrong\n']), configDirectory: directory };
    const { code, stderr } = await run(['login', ...at(service)], options);
    expect(stderr).toContain('No access token for client "company"');
    expect([code, await readdir(directory)]).toEqual([1, []]);
  });

  it('asks for the secret without showing it', async () => {
    const service = await startService();
    const typed = keyboard();
    const directory = await temporaryDirectory();
    const asked = run(['login', ...at(service)], { stdin: typed, configDirectory: directory });
    typed.write('typed secret\r');
    const { code, stdout, stderr } = await asked;
    expect(stderr).toBe('Secret of client "company": \n');
    expect(stdout).not.toContain('typed');
    expect(tokenForms(service)[0]?.get('client_secret')).toBe('typed secret');
    expect(code).toBe(0);
  });

  it('stores the authentication method, and only the path of a key', async () => {
    const service = await startService();
    const basic = await loggedIn(service, '--auth-method', 'client_secret_basic');
    await run(['token'], { configDirectory: basic });
    expect(service.tokenRequests.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Basic ${btoa('company:the+secret')}`),
    );

    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const keyFile = join(await temporaryDirectory(), 'key.pem');
    await writeFile(keyFile, pem);
    const keyed = await loggedIn(service, '--key-file', keyFile);
    const stored = await readFile(join(keyed, 'profiles.json'), 'utf8');
    expect(stored).toContain('"private_key_jwt"');
    expect(stored).not.toMatch(/the secret|PRIVATE KEY/);
    expect(await run(['token'], { configDirectory: keyed })).toMatchObject({ code: 0 });
    const assertion = tokenForms(service).at(-1)?.get('client_assertion') ?? '';
    expect(decodeJwt(assertion)).toMatchObject({
      iss: 'company',
      sub: 'company',
      aud: service.client.tokenUrl,
    });
  });

  it('takes the secret of the demo client from a pipe, and has its own if the pipe is empty', async () => {
    const service = await startService();
    for (const piped of ['the secret\n', '']) {
      const options = { stdin: Readable.from([piped]), configDirectory: await temporaryDirectory() };
      expect((await run(['login', ...at(service, 'demo-client')], options)).code).toBe(0);
    }
    const sent = tokenForms(service).map((form) => form.get('client_secret'));
    expect(sent).toEqual(['the secret', 'demo-secret']);
  });

  it.each<[string, () => Input | undefined, string[]]>([
    ['asks the identity service', () => undefined, ['--client-secret', 'the secret']],
    ['reads the pipe', () => new PassThrough(), []],
    ['asks for the secret', () => keyboard(), []],
  ])('ends when it is stopped while it %s', async (_title, stdin, args) => {
    const silent = createServer(() => {});
    const tokenUrl = `http://127.0.0.1:${await listenLocally(silent)}/token`;
    const stopped = new AbortController();
    setTimeout(() => stopped.abort(new Interrupted('SIGTERM')), 200);
    const input = stdin();
    const options = { signal: stopped.signal, ...(input && { stdin: input }) };
    const asked = ['login', '--client-id', 'company', '--token-url', tokenUrl, ...args];
    expect(await run(asked, options)).toMatchObject({ code: 143, stdout: '' });
  });

  it('requires a secret', async () => {
    const service = await startService();
    const wrong = await run(['login', ...at(service)], { stdin: Readable.from([]) });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no secret') });
  });
});

describe('a profile', () => {
  it('is overridden by a variable, which is overridden by an option', async () => {
    const service = await startService();
    const configDirectory = await loggedIn(service, '--scope', 'of-profile');
    const scopeOf = async (...args: string[]) => {
      await run(['token', ...args], { configDirectory });
      return tokenForms(service).at(-1)?.get('scope');
    };
    expect(await scopeOf()).toBe('of-profile');
    vi.stubEnv('PACKAGE_IMPORT_SCOPE', 'of-variable');
    expect(await scopeOf()).toBe('of-variable');
    expect(await scopeOf('--scope', 'of-option')).toBe('of-option');
  });

  it('uses its secret only with its own client and identity service', async () => {
    const service = await startService();
    const other = await startService();
    const configDirectory = await loggedIn(service);
    const elsewhere = await run(['token', '--token-url', other.client.tokenUrl], { configDirectory });
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('no secret for client') });
    const another = await run(['token', '--client-id', 'another'], { configDirectory });
    expect(another.code).toBe(2);
    expect(other.tokenRequests).toEqual([]);
    expect(service.tokenRequests).toHaveLength(1);
  });

  it('is chosen by name, and removed by logout', async () => {
    const service = await startService();
    const configDirectory = await loggedIn(service, '--profile', 'test');
    vi.stubEnv('PACKAGE_IMPORT_PROFILE', 'test');
    expect(await run(['list'], { configDirectory })).toMatchObject({ code: 0 });
    expect(await run(['logout'], { configDirectory })).toMatchObject({ code: 0 });
    expect(await readFile(join(configDirectory, 'profiles.json'), 'utf8')).toBe('{}\n');
    const gone = await run(['list'], { configDirectory });
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no profile "test".') });
  });

  it('is not used when others can read its secret, or its file is damaged', async () => {
    const service = await startService();
    const configDirectory = await loggedIn(service);
    const file = join(configDirectory, 'profiles.json');
    await chmod(file, 0o640);
    const open = await run(['token'], { configDirectory });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining(`chmod 600 ${file}`) });
    await chmod(file, 0o600);
    await writeFile(file, '{"default": "the secret');
    const damaged = await run(['token'], { configDirectory });
    expect(damaged).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') });
    expect(damaged.stderr).not.toContain('the secret');
  });
});

describe('the directory of profiles', () => {
  it.each([
    ['linux', {}, '/home/me', '/home/me/.config/package-import'],
    ['linux', { XDG_CONFIG_HOME: '/cfg' }, '/home/me', '/cfg/package-import'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/me', '/home/me/.config/package-import'],
    ['darwin', {}, '/Users/me', '/Users/me/.config/package-import'],
    ['win32', {}, 'C:\\Users\\me', 'C:\\Users\\me\\AppData\\Roaming\\package-import'],
    ['win32', { APPDATA: '\\\\server\\me' }, 'C:\\Users\\me', '\\\\server\\me\\package-import'],
    ['win32', { PACKAGE_IMPORT_CONFIG_DIR: 'D:\\x' }, 'C:\\Users\\me', 'D:\\x'],
  ] as const)('on %s with %j follows the platform', (platform, env, home, directory) =>
    expect(configDirectory({ platform, env, home })).toBe(directory),
  );
});

describe('plain http', () => {
  it('to another machine causes a warning before anything is sent, to this machine none', async () => {
    const service = await startService();
    const stopped = AbortSignal.abort(new Error('stopped'));
    const far = ['list', '--client-secret', 's', '--gateway', 'http://gateway.example'];
    const { stderr } = await run([...far, '--token-url', 'http://iam.example/token'], { signal: stopped });
    expect(stderr).toContain(
      'Warning: the authentication of client "demo-client" is sent to iam.example over plain',
    );
    expect(stderr).toContain('Warning: the access token is sent to gateway.example over plain http');
    const near = await run(['list', ...at(service), '--client-secret', 's']);
    expect(near).toMatchObject({ code: 0, stderr: '' });
  });
});
