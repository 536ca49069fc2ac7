/** A real Keycloak on this machine: fetched by Maven, started from nothing, gone afterwards. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** The same as in docker-compose.yml. */
const VERSION = '26.7.4';
const MAVEN_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
const REALM_FILE = fileURLToPath(new URL('../../deploy/keycloak/realm.json', import.meta.url));
const REALM = 'package-import';
const ADMIN = { username: 'admin', password: 'admin' };
/** Variable in the realm's file: the secret of each client, the password of each person. */
export const TRIAL_PASSWORD = 'of all who try';
/** The people of the realm, who log in on the web page. */
export const OPERATOR = { username: 'operator', password: TRIAL_PASSWORD };
export const UPLOADER = { username: 'uploader', password: TRIAL_PASSWORD };
const START_MS = 480_000;

export interface Keycloak {
  issuer: string;
  /** The answer of the token endpoint, to a form. */
  token(form: Record<string, string>): Promise<Record<string, string>>;
  /** Calls the admin API below the realm. Resolves with the answer's body, or null when it has none. */
  admin(method: string, path: string, json?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** The missing tools on this machine, or null. */
export function missingTools(): string | null {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (version < 17) return 'java 17 or newer';
  return spawnSync('mvn', ['--version']).status === 0 ? null : 'mvn';
}

/** It ends with the script. */
export async function startKeycloak(say: (line: string) => void): Promise<Keycloak> {
  const directory = await temporaryDirectory();
  say(`Fetching Keycloak ${VERSION} with mvn …`);
  const home = await unpackKeycloak(directory);
  await mkdir(join(home, 'data', 'import'), { recursive: true });
  await copyFile(REALM_FILE, join(home, 'data', 'import', 'realm.json'));
  const [port = 0] = await freePorts(1);
  say(`Starting it on port ${port} …`);
  const server = startServer(home, port);
  const stop = () => endGroup(server);
  atEnd(stop);
  const url = `http://127.0.0.1:${port}`;
  await ready(server, `${url}/realms/${REALM}`);
  return { ...clientOf(url), stop };
}

/**
 * Maven keeps what it has downloaded in its own repository: a second run downloads nothing.
 *
 * @returns the folder with its `bin`
 */
export async function unpackKeycloak(directory: string): Promise<string> {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  const args = [
    '-B',
    '-q',
    `${MAVEN_PLUGIN}:unpack`,
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${directory}`,
  ];
  const maven = spawn('mvn', args, { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => maven.once('exit', resolve));
  if (code !== 0) throw new Error(`mvn could not fetch ${artifact}`);
  // Maven may leave folders of its own beside it.
  return join(directory, (await readdir(directory)).find((name) => name.startsWith('keycloak-')) ?? '');
}

function startServer(home: string, port: number): ChildProcess {
  const args = ['start-dev', '--import-realm', `--http-port=${port}`, '--http-host=127.0.0.1'];
  return spawn('sh', [join(home, 'bin', 'kc.sh'), ...args], {
    // A group of its own: the shell starts Java, and both have to end.
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
      TRIAL_PASSWORD,
      JAVA_OPTS_APPEND: '-Xmx512m',
    },
  });
}

async function ready(server: ChildProcess, url: string): Promise<void> {
  await eventually(async () => {
    if (server.exitCode !== null) throw new Error(`Keycloak ended with ${server.exitCode}`);
    const answer = await fetch(url).catch(() => null);
    return answer?.ok;
  }, START_MS);
}

async function endGroup(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  process.kill(-server.pid, 'SIGTERM');
  const insist = setTimeout(() => process.kill(-(server.pid ?? 0), 'SIGKILL'), 20_000);
  await exited;
  clearTimeout(insist);
}

function clientOf(url: string): Omit<Keycloak, 'stop'> {
  const issuer = `${url}/realms/${REALM}`;
  const tokenOf = async (realm: string, form: Record<string, string>) => {
    const answer = await fetch(`${url}/realms/${realm}/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const body = (await answer.json()) as Record<string, string>;
    if (!answer.ok) throw new Error(`Keycloak gave no token: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    issuer,
    token: (form) => tokenOf(REALM, form),
    async admin(method, path, json) {
      // Fetched each time: it lives for a minute.
      const credentials = { grant_type: 'password', client_id: 'admin-cli', ...ADMIN };
      const { access_token } = await tokenOf('master', credentials);
      const answer = await fetch(`${url}/admin/realms/${REALM}${path}`, {
        method,
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
  };
}
