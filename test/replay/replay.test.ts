/**
 * Changed workflow code must take every stored run down the same path (decision §histories-replay). When this
 * fails, see docs/changing-workflows.md before recording anything anew.
 */
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/processes/shared/logger.ts';
import { loadWorkflowBundle } from '../../src/temporal/workflow-bundle.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { readHistories, type StoredHistory } from './histories.ts';
import { SCENARIOS } from './scenarios.ts';

let histories: StoredHistory[];
beforeAll(async () => {
  histories = await readHistories();
});

/** The result of replaying each history, by its name: null, or the error. */
async function replay(
  workflowBundle: { code: string },
  of: StoredHistory[],
): Promise<Map<string, Error | null>> {
  const outcomes = new Map<string, Error | null>();
  for (const { name, workflowId, history } of of) {
    const runs = Worker.runReplayHistories({ workflowBundle }, [{ workflowId, history }]);
    for await (const { error } of runs) outcomes.set(name, error ?? null);
  }
  return outcomes;
}

describe('stored histories', () => {
  it('exist for every scenario and every workflow type', () => {
    const recorded = new Set(histories.map(({ scenario }) => scenario));
    expect(Object.keys(SCENARIOS).filter((scenario) => !recorded.has(scenario))).toEqual([]);
    const present = histories.filter(({ release }) => release === VERSION);
    expect(present.filter(({ scenario }) => !Object.hasOwn(SCENARIOS, scenario))).toEqual([]);
    const types = new Set(histories.map(({ workflowType }) => workflowType));
    expect(Object.values(WORKFLOW_TYPES).filter((type) => !types.has(type))).toEqual([]);
  });

  it('replay with the current code', async () => {
    const outcomes = await replay(await loadWorkflowBundle(CACHE_DIRECTORY), histories);
    expect([...outcomes.keys()].sort()).toEqual(histories.map(({ name }) => name).sort());
    expect([...outcomes].filter(([, error]) => error !== null)).toEqual([]);
  });

  it('do not replay with code that takes another path', async () => {
    const workflowsPath = fileURLToPath(new URL('changed-workflows.ts', import.meta.url));
    const bundle = await bundleWorkflowCode({ workflowsPath });
    const inserts = histories.filter(({ scenario }) => scenario === 'all-succeed');
    const outcomes = [...(await replay(bundle, inserts)).values()];
    expect(outcomes.map((error) => error?.name)).toContain('DeterminismViolationError');
  });

  it('name no machine and no path', () => {
    for (const { name, history } of histories) {
      const text = JSON.stringify(history);
      expect(text, name).not.toMatch(/"identity"|"stackTrace"|file:\/\/|@[a-z0-9-]+:\d+|\/node_modules\//);
    }
  });
});
