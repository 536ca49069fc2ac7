/** The version of an import changes if and only if its report changes (decision §reports-are-streamed). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { INSERT_STEPS, type InsertStep } from '../../src/contract/steps.ts';
import { queued } from '../../src/domain/queue.ts';
import {
  createdFile,
  newImport,
  newSubmission,
  openTestDatabase,
  refusedFile,
  reportOf,
} from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

const { database } = await openTestDatabase();

const OPENED = { caseId: 'CASE-1', submissionDate: '', modifiedDate: '', submissionType: '' };
const complete = (id: number, step: InsertStep, runId: string) =>
  database.insertSteps.completeStep(
    { id, remaining: INSERT_STEPS.slice(INSERT_STEPS.indexOf(step)) },
    step,
    { runId, actor: 'test' },
    {},
  );

/** Each change of an import, in a possible order. */
const CHANGES: [string, (of: { importId: number; id: number; run: string }) => Promise<unknown>][] = [
  [
    'a queue result',
    ({ importId, id, run }) => database.queue.recordResults(importId, [queued(id, run)], 'test'),
  ],
  ['the end of queuing', ({ importId }) => database.imports.markQueued(importId)],
  ['a case', ({ id }) => database.insertSteps.recordParts(id, { opened: OPENED })],
  ['a step', ({ id, run }) => complete(id, 'design', run)],
  ['another step, in the same millisecond', ({ id, run }) => complete(id, 'ingredients', run)],
  ['a failure', ({ id, run }) => database.insertRuns.fail(id, run, [], 'test')],
  ['a mail that is being sent', ({ importId }) => database.notifications.beginSending(importId)],
  ['a mail that could not be sent', ({ importId }) => database.notifications.recordError(importId, 'away')],
  ['a file', ({ importId }) => database.reading.record(importId, null, [refusedFile('failed', 1)])],
  ['its end', ({ importId }) => database.imports.complete(importId, 'completed', 'test')],
];

describe('the version of an import', () => {
  it('changes with each change, and stays the same otherwise', async () => {
    const importId = await newImport(database, { notificationEmail: 'to@company.example' });
    await database.reading.record(importId, null, [createdFile(newProductId())]);
    const { submissions } = await reportOf(database, importId);
    const of = { importId, id: submissions[0]?.id ?? 0, run: randomUUID() };
    const versions = [await database.imports.version(importId)];
    for (const [what, change] of CHANGES) {
      await change(of);
      const version = await database.imports.version(importId);
      expect(versions, what).not.toContain(version);
      expect(await database.imports.version(importId), what).toBe(version);
      versions.push(version);
    }
    expect(await reportOf(database, importId)).toMatchObject({ failedFiles: [{ xmlFile: '1.xml' }] });
  });

  it('changes when a newer submission of a product removes its action', async () => {
    const productId = newProductId();
    const { importId } = await newSubmission(database, productId, 'old');
    await database.imports.markRead(importId);
    const before = await database.imports.version(importId);
    const newer = await newSubmission(database, productId, 'new');
    expect(await database.imports.version(importId)).toBe(before);
    await database.queue.recordResults(newer.importId, [queued(newer.id, randomUUID())], 'test');
    expect(await database.imports.version(importId)).not.toBe(before);
  });

  it('does not change with other imports', async () => {
    const { importId } = await newSubmission(database, newProductId());
    const before = await database.imports.version(importId);
    const other = await newSubmission(database, newProductId());
    await database.queue.recordResults(other.importId, [queued(other.id, randomUUID())], 'test');
    expect(await database.imports.version(importId)).toBe(before);
  });

  it('is null without an import', async () => {
    expect(await database.imports.version(2_000_000_000)).toBeNull();
  });
});
