/** `npm start`: runs the whole service on one machine until Ctrl-C. */
import { announce, readArguments } from './shared/program.ts';
import { announceAddresses, runInForeground } from './whole-service/whole-service.ts';

readArguments({
  command: 'npm start --',
  about:
    'Starts the whole service with its servers on this machine, and prints their addresses. Ctrl-C stops it.',
});

const started = Date.now();
await runInForeground(async ({ addresses }, stopped) => {
  announce(`\nReady after ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  announceAddresses(addresses);
  announce('\nStop with Ctrl-C.');
  await stopped;
});
