/** Entry point of the command for people and scripts: from this checkout, or packed (build.mjs). */
import manifest from '../package.json' with { type: 'json' };
import { onStopSignal } from '../src/common/stop-signals.ts';
import { Interrupted } from './outcome.ts';
import { runCommand } from './run.ts';

const stopped = new AbortController();
onStopSignal((signal) => stopped.abort(new Interrupted(signal)));
// `package-import status | head` closes the output early, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommand(process.argv.slice(2), {
  screen: process,
  version: manifest.version,
  signal: stopped.signal,
});
