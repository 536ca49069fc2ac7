/** Ports of test runs: no two processes get the same one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const MODULE = new URL('./free-ports.ts', import.meta.url).href;
/** So many that two processes which knew nothing of each other would share a hundred. */
const PORTS = 1_500;

/** A process that finds ports and keeps them until its input ends. */
async function processWithPorts() {
  const code = `const { freePorts } = await import(${JSON.stringify(MODULE)});
    process.stdout.write(JSON.stringify(await freePorts(${PORTS})));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code]);
  let text = '';
  while (!text.endsWith(']')) text += String((await once(child.stdout, 'data'))[0]);
  return { ports: JSON.parse(text) as number[], child };
}

it('are given to one process at a time', async () => {
  // One after the other: the second finds the ports of the first closed.
  const processes = [await processWithPorts(), await processWithPorts()];
  const ports = processes.flatMap((one) => one.ports);
  expect(new Set(ports).size).toBe(2 * PORTS);
  for (const { child } of processes) {
    child.stdin.end();
    expect((await once(child, 'close'))[0]).toBe(0);
  }
});
