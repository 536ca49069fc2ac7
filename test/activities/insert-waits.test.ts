/** Inserts wait for the answers to uploads (decision §waits-of-inserts): against a real PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InsertDependencies } from '../../activities/dependencies.ts';
import { answerFirst, waitToInsert } from '../../activities/insert-waits.ts';
import type { Database } from '../../src/database/index.ts';
import { newImport, newSubmission, openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';

/** Longer than a worker takes to notice, shorter than it waits before others. */
const MEANWHILE_MS = 1_000;
/** Longer than it waits before others. */
const LONGER_MS = 5_000;

/** Sessions that are active: only their state is read. */
const ACTIVE = { state: async () => ({ status: 'active' }) } as unknown as InsertDependencies['sessions'];

let database: Database;
beforeEach(async () => {
  ({ database } = await openTestDatabase());
});
afterEach(() => database.close());

/** A submission whose upload waits for its answer. Workers notice it, and what has happened before. */
async function unanswered(): Promise<{ id: number; importId: number }> {
  const submission = await newSubmission(database, newProductId());
  await eventually(async () => (await database.unansweredImports.cached()).ids.has(submission.importId));
  return submission;
}

/** An import that has its answer, and is being inserted. */
async function others(): Promise<void> {
  await database.imports.markQueued(await newImport(database));
}

/** Events in order of time. */
async function begun(afterMs: number, meanwhile: (importId: number) => Promise<void>): Promise<string[]> {
  const { id, importId } = await unanswered();
  const happened: string[] = [];
  const insert = new MockActivityEnvironment()
    .run(() => answerFirst(database, id))
    .then(() => happened.push('insert begins'));
  const later = new Promise((resolve) => setTimeout(resolve, afterMs)).then(async () => {
    happened.push('later');
    await meanwhile(importId);
  });
  await Promise.all([insert, later]);
  return happened;
}

describe('an insert', () => {
  it('starts after the answer to its upload', async () => {
    await others();
    const answer = (importId: number) => database.imports.markQueued(importId);
    expect(await begun(MEANWHILE_MS, answer)).toEqual(['later', 'insert begins']);
  });

  it('does not wait for the answer to a cancelled import: it ends without a call', async () => {
    const cancel = async (importId: number) =>
      void (await database.imports.requestCancel(importId, 'client:a'));
    // It waits 15 s for an answer.
    const longer = sleep(12_000, ['waits longer'], { ref: false });
    expect(await Promise.race([begun(MEANWHILE_MS, cancel), longer])).toEqual(['later', 'insert begins']);
  });

  it('starts without the answer after some seconds, when other inserts need the slot', async () => {
    await others();
    expect(await begun(MEANWHILE_MS, async () => {})).toEqual(['later', 'insert begins']);
    expect(await begun(LONGER_MS, async () => {})).toEqual(['insert begins', 'later']);
  });

  it('waits longer while no other inserts wait, until some do', async () => {
    expect(await begun(LONGER_MS, others)).toEqual(['later', 'insert begins']);
  });

  it('does not wait for the answers of other uploads', async () => {
    const { id, importId } = await unanswered();
    await unanswered();
    await database.imports.markQueued(importId);
    await eventually(async () => !(await database.unansweredImports.cached()).ids.has(importId));
    const env = new MockActivityEnvironment();
    const waits = env.run(() => answerFirst(database, id)).then(() => 'begins');
    const later = new Promise((resolve) => setTimeout(resolve, 2 * MEANWHILE_MS)).then(() => 'waits');
    expect(await Promise.race([waits, later])).toBe('begins');
  });
});

describe('a step that resumes', () => {
  /** Events in order of time, while an upload waits for its answer until `answerMs`. */
  async function resumes(answerMs: number, info: Partial<Info>): Promise<string[]> {
    const { importId } = await unanswered();
    const happened: string[] = [];
    const young = { currentAttemptScheduledTimestampMs: Date.now() + LONGER_MS };
    const step = new MockActivityEnvironment({ isLocal: false, ...young, ...info })
      .run(() => waitToInsert({ database, sessions: ACTIVE }, () => {}))
      .then(() => happened.push('step'));
    const answer = sleep(answerMs).then(async () => {
      happened.push('answer');
      await database.imports.markQueued(importId);
    });
    await Promise.all([step, answer]);
    return happened;
  }

  it.each<[string, Partial<Info>]>([
    ['a second attempt', { attempt: 2 }],
    ['a first attempt that has stood in a queue', { currentAttemptScheduledTimestampMs: Date.now() - 5_000 }],
  ])('waits for the answers to uploads: %s', async (_, info) => {
    expect(await resumes(MEANWHILE_MS, info)).toEqual(['answer', 'step']);
  });

  it('does not wait longer than some seconds', async () => {
    expect(await resumes(LONGER_MS, { attempt: 2 })).toEqual(['step', 'answer']);
  });

  it('does not wait if it was begun at once', async () => {
    expect(await resumes(MEANWHILE_MS, {})).toEqual(['step', 'answer']);
  });
});
