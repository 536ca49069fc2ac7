/** `watch`: the progress of all running imports, until they have ended. */
import type { Command } from 'commander';
import { pause } from '../../src/common/retrying.ts';
import { count } from '../../src/common/text.ts';
import { GREATEST_PAGE } from '../../src/contract/limits.ts';
import type { ImportStatus } from '../../src/contract/statuses.ts';
import type { ImportSummary } from '../../src/contract/types.ts';
import { OUTAGE } from '../client/follow-import.ts';
import { type PackageImports, packageImportsOf } from '../client/package-imports.ts';
import type { Act, Context } from '../context.ts';
import { type Outcome, success } from '../outcome.ts';
import { watchedText } from '../summary-text.ts';

const UNFINISHED: readonly ImportStatus[] = ['extracting', 'inserting'];
const PAUSE_MS = 2_000;

export function addWatchCommand(program: Command, act: Act): void {
  program
    .command('watch')
    .description('show the progress of all running imports until they have ended')
    .action(act(watch));
}

/** Ends when no import is running, and then shows how the watched imports ended. */
async function watch(context: Context): Promise<Outcome> {
  const { client, progress, width } = context;
  const imports = packageImportsOf(client.withRetries(OUTAGE));
  const watched = new Set<number>();
  try {
    for (;;) {
      const unfinished = await unfinishedOf(imports);
      for (const { id } of unfinished) watched.add(id);
      if (unfinished.length === 0) break;
      progress.watching(unfinished.map(watchedText));
      await pause(PAUSE_MS, client.signal);
    }
  } finally {
    progress.end();
  }
  const ended = await endsOf(imports, watched);
  const message = `${count(ended.length, 'import')} watched. No import is running.`;
  const lines = ended.map(watchedText);
  return success(
    { message, data: { imports: ended } },
    [...lines.map((line) => line.slice(0, width)), message].join('\n'),
  );
}

async function unfinishedOf(imports: PackageImports): Promise<ImportSummary[]> {
  const found: ImportSummary[] = [];
  for (const status of UNFINISHED)
    for (let before: number | null | undefined; before !== null; ) {
      const { data } = await imports.list({ status, limit: GREATEST_PAGE, before });
      found.push(...data.imports);
      before = data.next_before;
    }
  return found.sort((a, b) => b.id - a.id);
}

async function endsOf(imports: PackageImports, ids: ReadonlySet<number>): Promise<ImportSummary[]> {
  const ended: ImportSummary[] = [];
  for (const id of ids) ended.push((await imports.newerSummary(id, null)).summary);
  return ended;
}
