/**
 * How the scripts of package.json run a program: `node tools/run.mjs [NAME=value …] program.ts [argument …]`. First the
 * dependencies are installed if need be; then the program runs with the project's own Node, in this process where this
 * is that Node already. Options for V8 stand before `tools/run.mjs`, and reach the program either way.
 *
 * Plain JavaScript for any Node from 20, on any system: in a fresh clone nothing else is there.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installDependencies } from './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** The first that runs TypeScript as it is. */
const OLDEST_NODE = 24;
/** What people and supervisors end a program with. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const given = process.argv.slice(2);
const first = given.findIndex((argument) => !/^\w+=/.test(argument));
if (first < 0) end('No program to run: node tools/run.mjs [NAME=value …] program.ts [argument …]');
for (const setting of given.slice(0, first)) {
  const [name] = setting.split('=', 1);
  process.env[name] = setting.slice(name.length + 1);
}
const [program, ...rest] = given.slice(first);

let installed = false;
try {
  installed = installDependencies(root);
  // npm would do it after an installation, if it ran any scripts.
  if (installed) spawnSync(process.execPath, [join(root, 'tools', 'hooks.mjs')], { stdio: 'inherit' });
} catch (error) {
  end(error.message);
}
const node = projectNode();
if (process.env.npm_lifecycle_event !== undefined) endWithShell();
if (!installed && realpathSync(process.execPath) === node) await runHere();
else runThere();

/** The Node that is a dependency; the one that runs this where its install script was not let run. */
function projectNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const own = join(root, 'node_modules', 'node', 'bin', name);
  if (existsSync(own)) return realpathSync(own);
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE)
    end(`Node ${process.versions.node} is too old, and the project's own is not installed: run npm ci.`);
  return realpathSync(process.execPath);
}

/**
 * npm hands a SIGTERM to the shell that it runs a script in. Some shells, Debian's among them, die of it and tell nobody:
 * the program would go on with nobody to end it.
 */
function endWithShell() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}

/** The program finds everything as if it had been started without us. */
async function runHere() {
  const file = resolve(program);
  process.argv = [process.execPath, file, ...rest];
  await import(pathToFileURL(file).href);
}

/** A child that has our terminal, gets our signals, and whose end is ours. */
function runThere() {
  // What the program starts by its name finds the same Node.
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const env = { ...process.env, [path]: `${dirname(node)}${delimiter}${process.env[path] ?? ''}` };
  const child = spawn(node, [...process.execArgv, program, ...rest], { stdio: 'inherit', env });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => end(error.message));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    // A signal that does not end us: what a shell would make of it.
    process.exitCode = 128 + constants.signals[signal];
  });
}

function end(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
