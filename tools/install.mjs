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
import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SAY_EVERY_MS = 10_000;
const LOOK_AGAIN_MS = 500;

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
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isInstalled()) return false;

  try {
    accessSync(root, constants.W_OK);
  } catch {
    throw new Error(
      `The dependencies cannot be installed, because ${root} is read-only: copy the project to a folder that you may write.`,
    );
  }
  const unlock = await lockInstallation(root);
  try {
    // Another command may have installed them meanwhile.
    if (!isInstalled()) {
      await install(root, lock, allowScripts);
      writeFileSync(stamp, wanted);
    }
    return true;
  } finally {
    unlock();
  }
}

/**
 * Waits until no other command installs in the same project: two at once would delete each other's files.
 *
 * @returns ends the lock
 */
async function lockInstallation(root) {
  const path = join(root, '.installing');
  const unlock = () => rmSync(path, { force: true });
  for (let waits = 0; ; waits += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      process.once('exit', unlock);
      return () => {
        process.off('exit', unlock);
        unlock();
      };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isHeld(path) || !removeStale(path)) {
      if (waits === 0) process.stderr.write('Waiting for another command that installs the dependencies …\n');
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

/** Removes the lock of a killed command. Returns false if it was the lock of a later command, which stays. */
function removeStale(path) {
  const moved = `${path}.${process.pid}`;
  try {
    renameSync(path, moved);
  } catch {
    return true; // Another command was first.
  }
  const isLater = isHeld(moved);
  if (isLater) renameSync(moved, path);
  else rmSync(moved);
  return !isLater;
}

/** Whether the process that wrote the lock is running. An empty lock is being written. */
function isHeld(path) {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function install(root, lock, allowScripts) {
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
