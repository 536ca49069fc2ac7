/** Inserts begin when their upload has its answer (architecture §answer-first): against a real PostgreSQL. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerFirst } from '../../activities/answer-first.ts';
import type { Database } from '../../src/database/index.ts';
import { newSubmission, openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';

/** Longer than a worker takes to notice, shorter than it waits. */
const MEANWHILE_MS = 1_000;

let database: Database;
beforeAll(async () => {
  ({ database } = await openTestDatabase());
});
afterAll(() => database.close());

/** A submission whose upload waits for its answer, and workers have noticed. */
async function unanswered(): Promise<{ id: number; importId: number }> {
  const submission = await newSubmission(database, newProductId());
  await eventually(async () => (await database.unansweredImports.lately()).has(submission.importId));
  return submission;
}

/** What has happened, in its order. */
async function begun(meanwhile: (importId: number) => Promise<void>): Promise<string[]> {
  const { id, importId } = await unanswered();
  const happened: string[] = [];
  const insert = new MockActivityEnvironment()
    .run(() => answerFirst(database, id))
    .then(() => happened.push('insert begins'));
  const second = new Promise((resolve) => setTimeout(resolve, MEANWHILE_MS)).then(async () => {
    happened.push('a second');
    await meanwhile(importId);
  });
  await Promise.all([insert, second]);
  return happened;
}

describe('an insert', () => {
  it('begins after the answer to its upload', async () => {
    expect(await begun((importId) => database.imports.markQueued(importId))).toEqual([
      'a second',
      'insert begins',
    ]);
  });

  it('begins all the same when the answer does not come', async () => {
    expect(await begun(async () => {})).toEqual(['a second', 'insert begins']);
  });

  it('does not wait for the answers of others', async () => {
    const { id, importId } = await unanswered();
    await unanswered();
    await database.imports.markQueued(importId);
    await eventually(async () => !(await database.unansweredImports.lately()).has(importId));
    const env = new MockActivityEnvironment();
    const waits = env.run(() => answerFirst(database, id)).then(() => 'begins');
    const later = new Promise((resolve) => setTimeout(resolve, 2 * MEANWHILE_MS)).then(() => 'waits');
    expect(await Promise.race([waits, later])).toBe('begins');
  });
});
