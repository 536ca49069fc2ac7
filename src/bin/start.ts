/** `npm start`: the whole service on one machine, until Ctrl-C. */

import { announce, fail, untilStopped } from '../processes/console.ts';
import { configOfThisProcess } from '../processes/environment.ts';
import { startStack } from '../processes/stack.ts';

try {
  const config = configOfThisProcess();
  const started = Date.now();
  const stack = await startStack(config, process.env, announce);
  announce(`\nReady after ${((Date.now() - started) / 1000).toFixed(1)} s.\n`);
  for (const { title, url } of stack.addresses) announce(`  ${title.padEnd(20)} ${url}`);
  announce('\nStop with Ctrl-C.');
  await untilStopped();
  announce('Stopping …');
  await stack.stop();
  process.exit(0);
} catch (error) {
  fail(error);
}
