/** `watch`: the progress of imports, until they have ended. */
import type { Command } from 'commander';
import { pause } from '../../src/common/retrying.ts';
import { count } from '../../src/common/text.ts';
import { GREATEST_PAGE } from '../../src/contract/limits.ts';
import type { ImportStatus } from '../../src/contract/statuses.ts';
import type { ImportSummary } from '../../src/contract/types.ts';
import { patiently } from '../client/follow-import.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { exitCodeOf, importSentence, importText } from '../import-text.ts';
import { type Outcome, success } from '../outcome.ts';
import { watchedText } from '../summary-text.ts';
import { waitForImport } from '../wait.ts';

const UNFINISHED: readonly ImportStatus[] = ['extracting', 'inserting'];
const PAUSE_MS = 2_000;

export function addWatchCommand(program: Command, act: Act): void {
  program
    .command('watch')
    .argument('[import-id]', 'id of an import (default: all running imports)', identifier)
    .description('show the progress of imports until they have ended')
    .action(act(watch));
}

async function watch(context: Context, id: number | undefined): Promise<Outcome> {
  if (id === undefined) return watchAll(context);
  // Read first, so that the command does not wait for an import that does not exist.
  await context.imports.newerSummary(id, null);
  const report = await waitForImport(context, id);
  const answer = { message: importSentence(report), data: report };
  return success(answer, importText(report, context.width), exitCodeOf(report));
}

/** Ends when no import is running, and then shows how the watched imports ended. */
async function watchAll(context: Context): Promise<Outcome> {
  const { client, progress, width } = context;
  const watched = new Map<number, ImportSummary>();
  try {
    for (;;) {
      const unfinished = await unfinishedOf(context);
      for (const summary of unfinished) watched.set(summary.id, summary);
      if (unfinished.length === 0) break;
      progress.watching(unfinished.map(watchedText));
      await pause(PAUSE_MS, client.signal);
    }
  } finally {
    progress.end();
  }
  const ended = await endsOf(context, [...watched.keys()]);
  const message = `${count(ended.length, 'import')} watched. No import is running.`;
  const lines = ended.map(watchedText);
  return success(
    { message, data: { imports: ended } },
    [...lines.map((line) => line.slice(0, width)), message].join('\n'),
  );
}

async function unfinishedOf(context: Context): Promise<ImportSummary[]> {
  const found: ImportSummary[] = [];
  for (const status of UNFINISHED) {
    const { data } = await patiently(context, () => context.imports.list({ status, limit: GREATEST_PAGE }));
    found.push(...data.imports);
  }
  return found.sort((a, b) => b.id - a.id);
}

async function endsOf(context: Context, ids: readonly number[]): Promise<ImportSummary[]> {
  const ended: ImportSummary[] = [];
  for (const id of ids)
    ended.push((await patiently(context, () => context.imports.newerSummary(id, null))).summary);
  return ended;
}
