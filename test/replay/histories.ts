/** The stored histories: one folder per release, in it one JSON file per run, named after its scenario. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { temporal } from '@temporalio/proto';
import { VERSION } from '../../src/processes/shared/logger.ts';

const DIRECTORY = fileURLToPath(new URL('histories', import.meta.url));

/** The release that is being worked on: its histories are the ones that are recorded. */
const RELEASE = VERSION;

export interface StoredHistory {
  /** `<release>/<scenario>.<number>.<workflow type>`, the path of its file without the extension. */
  name: string;
  release: string;
  scenario: string;
  workflowType: string;
  /** Children's ids are made of their parent's, so that a replay needs the true one. */
  workflowId: string;
  history: { events: Record<string, unknown>[] };
}

/** Those of all releases, sorted by name. */
export async function readHistories(): Promise<StoredHistory[]> {
  const files = (await readdir(DIRECTORY, { recursive: true })).filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.sort().map(async (file) => {
      const name = file.replace(/\.json$/, '');
      const [release = '', run = ''] = name.split('/');
      const [scenario = '', , workflowType = ''] = run.split('.');
      const history = JSON.parse(await readFile(`${DIRECTORY}/${file}`, 'utf8')) as StoredHistory['history'];
      const started = history.events[0]?.workflowExecutionStartedEventAttributes as { workflowId: string };
      return { name, release, scenario, workflowType, workflowId: started.workflowId, history };
    }),
  );
}

/** Replaces what this release has recorded of the scenario. */
export async function storeHistories(
  scenario: string,
  histories: temporal.api.history.v1.IHistory[],
): Promise<void> {
  const directory = `${DIRECTORY}/${RELEASE}`;
  await mkdir(directory, { recursive: true });
  for (const file of await readdir(directory))
    if (file.startsWith(`${scenario}.`)) await rm(`${directory}/${file}`);
  for (const [index, history] of histories.entries()) {
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    const name = `${scenario}.${index + 1}.${started?.workflowType?.name}`;
    await writeFile(`${directory}/${name}.json`, `${withoutTraces(historyToJSON(history))}\n`);
  }
}

/** Fields that tell on which machine it was recorded: names of hosts, paths in stack traces. No part of the replay. */
const TRACES = new Set(['identity', 'stackTrace']);

function withoutTraces(json: string): string {
  return JSON.stringify(JSON.parse(json), (key, value) => {
    if (TRACES.has(key)) return undefined;
    // A worker's own queue has the name of the worker.
    return value?.kind === 'TASK_QUEUE_KIND_STICKY' ? { ...value, name: 'sticky' } : value;
  });
}
