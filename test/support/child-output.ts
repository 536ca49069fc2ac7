/** Output of child processes, as text. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** Collects the text of streams, such as both outputs of a child. @returns all of it so far */
export function collectText(...streams: (Readable | null)[]): () => string {
  let text = '';
  for (const stream of streams)
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  return () => text;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Resolves when the child has ended and its outputs are closed. @throws when it cannot be started */
export function resultOf(child: ChildProcess): Promise<CommandResult> {
  const [stdout, stderr] = [collectText(child.stdout), collectText(child.stderr)];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
  });
}
