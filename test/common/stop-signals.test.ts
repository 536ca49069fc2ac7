/** A program is asked to stop once, however often one Ctrl-C arrives. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

const MODULE = new URL('../../src/common/stop-signals.ts', import.meta.url).href;
const PROGRAM = `
import { onStopSignal } from ${JSON.stringify(MODULE)};
onStopSignal((signal) => console.log(signal));
setInterval(() => {}, 1000);
console.log('ready');
`;

it.skipIf(process.platform === 'win32')('a later second signal ends it at once', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
  const ended = once(child, 'exit');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  await sleep(1_200);
  expect({ said, code: child.exitCode, signal: child.signalCode }).toEqual({
    said: 'ready\nSIGINT\n',
    code: null,
    signal: null,
  });
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
});
