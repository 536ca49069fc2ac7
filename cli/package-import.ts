/** Entry point of the command for people and scripts: from this checkout, or packed (build.mjs). */
import manifest from '../package.json' with { type: 'json' };
import { onStopSignal } from '../src/common/stop-signals.ts';
import { EXIT, Interrupted } from './outcome.ts';
import { runCommand } from './run.ts';

const stopped = new AbortController();
onStopSignal((signal) => stopped.abort(new Interrupted(signal)));
// `package-import list | head` closes the output early, which is no failure, and `2>&1 | head` must not end an upload.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`The output cannot be written: ${error.message}.\n`);
    process.exit(EXIT.failed);
  });

process.exitCode = await runCommand(process.argv.slice(2), {
  screen: process,
  version: manifest.version,
  signal: stopped.signal,
});
