/**
 * Installs the dependencies when they are missing or older than the lock file. Plain JavaScript for any Node
 * from 20: tools/run.mjs fetches the Node that reads TypeScript afterwards. Install scripts run only for the
 * dependencies that `allowScripts` of package.json names with `true`. `.npmrc` tells npm to run no scripts;
 * this program runs the allowed ones by name. npm itself only warns by `allowScripts`, in versions that know
 * the field.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SAY_EVERY_MS = 10_000;

/**
 * @param root of the project
 * @returns whether there was anything to install
 * @throws Error when npm fails; npm has printed the reason. The error says what to do
 */
export async function installDependencies(root) {
  const stamp = join(root, 'node_modules', '.installed');
  const { allowScripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(lock).update(JSON.stringify(allowScripts)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false;

  try {
    accessSync(root, constants.W_OK);
  } catch {
    throw new Error(
      `The dependencies cannot be installed, because ${root} is read-only: copy the project to a folder that you may write.`,
    );
  }
  // npm leaves out the optional packages of other platforms.
  const required = Object.entries(JSON.parse(lock).packages).filter(([, { optional }]) => !optional);
  const packages = required.map(([path]) => path).filter((path) => path !== '');
  process.stderr.write(`Installing ${packages.length} dependencies, usually in half a minute …\n`);
  const progress = setInterval(() => {
    const there = packages.filter((path) => existsSync(join(root, path, 'package.json'))).length;
    process.stderr.write(`${there} of ${packages.length} dependencies\n`);
  }, SAY_EVERY_MS);
  // With NODE_ENV=production, npm would leave out the dependencies of the scripts.
  const flags = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  // By default npm repeats a request after a whole minute, so a missing network shows after minutes.
  const ci = npm(root, ['ci', ...flags, '--fetch-retry-maxtimeout=10000']);
  await ci.finally(() => clearInterval(progress));
  const scripted = Object.keys(allowScripts).filter(
    (name) => allowScripts[name] === true && existsSync(join(root, 'node_modules', name)),
  );
  // Without names, npm would run the scripts of all packages.
  if (scripted.length > 0) await npm(root, ['rebuild', '--ignore-scripts=false', ...scripted]);
  writeFileSync(stamp, wanted);
  return true;
}

async function npm(root, args) {
  const { npm_execpath: path, npm_node_execpath: node = process.execPath } = process.env;
  const [command, ...first] = path ? [node, path] : ['npm'];
  const child = spawn(command, [...first, ...args, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // On Windows, the npm of the PATH is a batch file, which needs a shell.
    shell: command === 'npm' && process.platform === 'win32',
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const [code, signal] = await once(child, 'exit').catch((error) => [null, error.message]);
  process.off('exit', kill);
  if (code === 0) return;
  const how = signal ?? `exit code ${code}`;
  throw new Error(
    `The dependencies are not installed (npm ${args[0]}: ${how}): correct the reason that npm names above, and run the command again.`,
  );
}
