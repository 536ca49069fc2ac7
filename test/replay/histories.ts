/** The stored histories: one JSON file per run, named after its scenario. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { temporal } from '@temporalio/proto';

const DIRECTORY = fileURLToPath(new URL('histories', import.meta.url));

export interface StoredHistory {
  /** File name without its extension: `<scenario>.<number>.<workflow type>`. */
  name: string;
  workflowType: string;
  /** Children's ids are made of their parent's, so that a replay needs the true one. */
  workflowId: string;
  history: { events: Record<string, unknown>[] };
}

/** Sorted by name, those of folders (histories of older versions of the code) included. */
export async function readHistories(): Promise<StoredHistory[]> {
  const files = (await readdir(DIRECTORY, { recursive: true })).filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.sort().map(async (file) => {
      const name = file.replace(/\.json$/, '');
      const history = JSON.parse(await readFile(`${DIRECTORY}/${file}`, 'utf8')) as StoredHistory['history'];
      const started = history.events[0]?.workflowExecutionStartedEventAttributes as { workflowId: string };
      return { name, workflowType: name.split('.').at(-1) ?? '', workflowId: started.workflowId, history };
    }),
  );
}

export async function storeHistory(
  scenario: string,
  number: number,
  history: temporal.api.history.v1.IHistory,
): Promise<void> {
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const name = `${scenario}.${number}.${started?.workflowType?.name}`;
  await mkdir(DIRECTORY, { recursive: true });
  await writeFile(`${DIRECTORY}/${name}.json`, `${withoutTraces(historyToJSON(history))}\n`);
}

/** What says on which machine it was recorded: names of hosts, paths in stack traces. No part of the replay. */
const TRACES = new Set(['identity', 'stackTrace']);

function withoutTraces(json: string): string {
  return JSON.stringify(JSON.parse(json), (key, value) => {
    if (TRACES.has(key)) return undefined;
    // A worker's own queue has the name of the worker.
    return value?.kind === 'TASK_QUEUE_KIND_STICKY' ? { ...value, name: 'sticky' } : value;
  });
}
