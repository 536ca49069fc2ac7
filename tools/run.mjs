/**
 * Runs a program for the scripts of package.json: `exec node tools/run.mjs program.ts [argument …]`. By `exec`,
 * npm's shell becomes this process, which gets the signals that npm passes on. It first installs missing
 * dependencies. It then runs the program with a Node that reads TypeScript, in this process if its Node does. V8
 * options stand before `tools/run.mjs`, and reach the program in both cases. Plain JavaScript for any Node from 20,
 * on any system: a fresh clone has nothing else.
 */
import { spawn, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installDependencies } from './install.mjs';
import { projectNode } from './project-node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Signals by which people and supervisors end a program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const [program, ...rest] = process.argv.slice(2);
if (program === undefined) end('No program to run: node tools/run.mjs program.ts [argument …]');

// A signal during the preparation runs the exit handlers, which end npm and pip.
for (const signal of SIGNALS) process.once(signal, endBySignal);
let installed = false;
let node = process.execPath;
try {
  installed = await installDependencies(root);
  // npm would do it after an installation, but it runs no scripts.
  if (installed) spawnSync(process.execPath, [join(root, 'tools', 'hooks.mjs')], { stdio: 'inherit' });
  node = await projectNode();
} catch (error) {
  end(error.message);
}
for (const signal of SIGNALS) process.off(signal, endBySignal);
if (!installed && realpathSync(process.execPath) === node) await runHere();
else runThere();

function endBySignal(signal) {
  process.exit(128 + constants.signals[signal]);
}

/** Runs the program in this process, with the arguments of a direct start. */
async function runHere() {
  const file = resolve(program);
  process.argv = [process.execPath, file, ...rest];
  await import(pathToFileURL(file).href);
}

/** Runs the program in a child process that shares the terminal, receives our signals, and determines our exit code. */
function runThere() {
  // Programs that the program starts by name find the same Node.
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const env = { ...process.env, [path]: `${dirname(node)}${delimiter}${process.env[path] ?? ''}` };
  const child = spawn(node, [...process.execArgv, program, ...rest], { stdio: 'inherit', env });
  for (const signal of SIGNALS)
    process.on(signal, () => {
      // On Windows, kill() would end the child at once, and every process of the console gets the Ctrl-C itself.
      if (process.platform !== 'win32') child.kill(signal);
    });
  child.once('error', (error) => end(error.message));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    // Exit code of a shell for a signal that does not end this process.
    process.exitCode = 128 + constants.signals[signal];
  });
}

function end(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
