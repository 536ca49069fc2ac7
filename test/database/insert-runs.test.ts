/** The compare-and-sets behind a submission's status, against a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findKnown } from '../../activities/reading/known-records.ts';
import type { ReadProduct } from '../../activities/reading/product-files.ts';
import { judge } from '../../activities/reading/verdict.ts';
import type { ProductCheck } from '../../src/contract/product-checks.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import type { SubmissionStatus } from '../../src/contract/statuses.ts';
import { INSERT_STEPS, type InsertStep } from '../../src/contract/steps.ts';
import type { AcceptedStep } from '../../src/database/repositories/insert-steps.ts';
import { lock, takeOver } from '../../src/database/status-moves.ts';
import { queued } from '../../src/domain/queue.ts';
import { LEGAL_TRANSITIONS } from '../../src/domain/submission.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import {
  createdFile,
  newAttachment,
  newImport,
  newSubmission,
  openOrm,
  openTestDatabase,
  reportOf,
  someWaitForALock,
} from '../support/database.ts';
import { newProductId, productXml } from '../support/product-xml.ts';

const REJECTED = [{ ...plainReason('too heavy'), path: 'Product/Design' }];

const { database, url } = await openTestDatabase();

const statusOf = async (id: number) =>
  (await database.submissions.find(id))?.submission.status as SubmissionStatus;
const begin = (id: number, runId: string) =>
  database.insertRuns.begin(id, runId, 'test').then(({ decision }) => decision);
/** The section of every test product, as PostgreSQL writes it. */
const sectionOf = (step: InsertStep) => `{"content": "x of ${step}"}`;
/** The default run owns nothing: it sets only flags. */
const complete = (
  id: number,
  step: InsertStep,
  runId: string = randomUUID(),
  accepted: AcceptedStep = {},
) => {
  const remaining = INSERT_STEPS.slice(INSERT_STEPS.indexOf(step));
  return database.insertSteps.completeStep({ id, remaining }, step, { runId, actor: 'test' }, accepted);
};
const completeSteps = async (id: number, runId?: string) => {
  for (const step of INSERT_STEPS) await complete(id, step, runId);
};

/** The status changes of a submission in the audit trail, oldest first. */
async function auditedMoves(submissionId: number) {
  const { events } = await database.auditTrail.list({ submissionId }, { limit: 100 });
  return events
    .filter(({ detail }) => detail !== null && typeof detail === 'object' && 'from' in detail)
    .map(({ action, detail }) => ({
      from: (detail as { from: SubmissionStatus }).from,
      to: action.replace('submission.', '') as SubmissionStatus,
    }))
    .reverse();
}

describe('an expected run', () => {
  const expectRun = (id: number, runId: string) => database.insertRuns.recordStart(id, runId, 'test');

  it('shows its submission as being inserted before the run starts', async () => {
    const { id } = await newSubmission(database, newProductId());
    const runId = randomUUID();
    await expectRun(id, runId);
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      status: 'regulator_inserting',
      jobId: runId,
    });
    expect(await begin(id, runId)).toMatchObject({ kind: 'run' });
  });

  it('that began before has its requester in the audit trail, once', async () => {
    const { id } = await newSubmission(database, newProductId());
    const runId = randomUUID();
    await begin(id, runId);
    for (let times = 0; times < 2; times += 1)
      await database.insertRuns.recordStart(id, runId, 'client:asks');
    const { events } = await database.auditTrail.list(
      { submissionId: id, actor: 'client:asks' },
      { limit: 100 },
    );
    expect(events).toMatchObject([{ action: 'submission.regulator_inserting', detail: { job_id: runId } }]);
  });

  it('waits for its first step, whichever step an earlier run has reached', async () => {
    const { id } = await newSubmission(database, newProductId());
    const [failed, expected] = [randomUUID(), randomUUID()];
    await begin(id, failed);
    await complete(id, 'init_validate', failed);
    await database.insertRuns.fail(id, failed, REJECTED, 'test');
    await expectRun(id, expected);
    const working = await database.submissions.findByJobIds([expected]);
    expect(working.get(expected)).toMatchObject({ status: 'regulator_inserting', currentStep: null });
  });

  it('that has failed meanwhile keeps its reason', async () => {
    const { id } = await newSubmission(database, newProductId());
    const runId = randomUUID();
    await begin(id, runId);
    await database.insertRuns.fail(id, runId, REJECTED, 'test');
    await expectRun(id, runId);
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      status: 'regulator_insert_failed',
      failureReason: REJECTED,
    });
  });
});

describe('a queued run of a failed submission', () => {
  it('shows it as being inserted before the run begins, and changes nothing after its end', async () => {
    const { id, importId } = await newSubmission(database, newProductId());
    const [first, again, retry] = [randomUUID(), randomUUID(), randomUUID()];
    const record = (runId: string) => database.queue.recordResults(importId, [queued(id, runId)], 'test');
    const fail = (runId: string) =>
      database.insertRuns.fail(id, runId, REJECTED, 'test', { code: 'regulator_rejected' });
    const failed = { status: 'regulator_insert_failed', failureReason: REJECTED };
    await record(first);
    await begin(id, first);
    await fail(first);
    await record(again);
    expect(await database.queue.progress(importId)).toMatchObject({ inserting: 1, failed: 0 });
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      status: 'regulator_inserting',
      jobId: again,
      currentStep: null,
      failureReason: null,
      failureCode: null,
    });
    expect((await auditedMoves(id)).at(-1)).toEqual({
      from: 'regulator_insert_failed',
      to: 'regulator_inserting',
    });
    await begin(id, again);
    await fail(again);
    // The first answer was lost.
    await record(again);
    expect((await database.submissions.find(id))?.submission).toMatchObject({ ...failed, jobId: again });
    await begin(id, retry);
    await fail(retry);
    await record(again);
    expect((await database.submissions.find(id))?.submission).toMatchObject({ ...failed, jobId: retry });
  });
});

describe('a run that ends before it has begun', () => {
  const CANCELLED = [plainReason('cancelled')];
  const endBeforeBeginning = (id: number, runId: string) =>
    database.insertRuns.fail(id, runId, CANCELLED, 'test', { code: 'cancelled', hasBegun: false });

  it('keeps its reason when its start is recorded later', async () => {
    const { id, importId } = await newSubmission(database, newProductId());
    const runId = randomUUID();
    expect(await endBeforeBeginning(id, runId)).toBe(true);
    await database.queue.recordResults(importId, [queued(id, runId)], 'test');
    await database.insertRuns.recordStart(id, runId, 'test');
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      status: 'regulator_insert_failed',
      jobId: runId,
      failureReason: CANCELLED,
    });
  });

  it('keeps its reason after an earlier failure, and when its start is recorded', async () => {
    const { id } = await newSubmission(database, newProductId());
    const [earlier, runId] = [randomUUID(), randomUUID()];
    await begin(id, earlier);
    await database.insertRuns.fail(id, earlier, REJECTED, 'test');
    expect(await endBeforeBeginning(id, runId)).toBe(true);
    await database.insertRuns.recordStart(id, runId, 'test');
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      status: 'regulator_insert_failed',
      failureReason: CANCELLED,
    });
  });

  it('changes nothing when its beginning has recorded the end', async () => {
    const { id, importId } = await newSubmission(database, newProductId());
    await database.imports.requestCancel(importId, 'client:test');
    const runId = randomUUID();
    expect(await begin(id, runId)).toMatchObject({ kind: 'ended' });
    const before = await auditedMoves(id);
    expect(await endBeforeBeginning(id, runId)).toBe(false);
    expect(await auditedMoves(id)).toEqual(before);
  });

  it('changes nothing while another run inserts the submission, or after its insert', async () => {
    const { id } = await newSubmission(database, newProductId());
    const owner = randomUUID();
    await begin(id, owner);
    expect(await endBeforeBeginning(id, randomUUID())).toBe(false);
    expect(await statusOf(id)).toBe('regulator_inserting');
    await completeSteps(id, owner);
    expect(await endBeforeBeginning(id, randomUUID())).toBe(false);
    expect(await statusOf(id)).toBe('regulator_inserted');
  });
});

describe('the start of a run', () => {
  it('starts its first step and returns its content; a run after another one does not', async () => {
    const { id } = await newSubmission(database, newProductId());
    const [run, later] = [randomUUID(), randomUUID()];
    const { begun } = await database.insertRuns.begin(id, run, 'test');
    expect(begun).toEqual({ step: 'init_validate', submission: expect.objectContaining({ id }) });
    expect((await database.submissions.find(id))?.submission.currentStep).toBe('init_validate');
    expect(await database.insertSteps.enterStep(id, 'init_validate', run)).toEqual({
      kind: 'open',
      submission: begun?.submission,
    });

    await complete(id, 'init_validate', run);
    const { decision, begun: none } = await database.insertRuns.begin(id, later, 'test');
    expect(decision).toEqual({ kind: 'run', steps: INSERT_STEPS.slice(1) });
    expect(none).toBeNull();
  });

  it('includes the first step when it was recorded before the run started', async () => {
    const { id } = await newSubmission(database, newProductId());
    const run = randomUUID();
    await database.insertRuns.recordStart(id, run, 'test');
    const { begun } = await database.insertRuns.begin(id, run, 'test');
    expect(begun?.submission.section).toBe(sectionOf('init_validate'));
  });

  it('fails when a newer submission supersedes it, even if the start is recorded later', async () => {
    const productId = newProductId();
    const older = await newSubmission(database, productId);
    const newer = await newSubmission(database, productId, 'new');
    await begin(newer.id, randomUUID());
    const runId = randomUUID();
    expect(await begin(older.id, runId)).toEqual({ kind: 'superseded', by: newer.id });
    await database.queue.recordResults(older.importId, [queued(older.id, runId)], 'test');
    expect((await database.submissions.find(older.id))?.submission).toMatchObject({
      status: 'regulator_insert_failed',
      jobId: runId,
      failureReason: [plainReason(`Superseded by submission ${newer.id} of the same product.`)],
    });
    expect(await database.queue.progress(older.importId)).toMatchObject({ inserting: 0, failed: 1 });
    expect(await auditedMoves(older.id)).toEqual([
      { from: 'local', to: 'regulator_inserting' },
      { from: 'regulator_inserting', to: 'regulator_insert_failed' },
    ]);
  });

  it('fails while its import is being cancelled, and not after the end of the import', async () => {
    const { id, importId } = await newSubmission(database, newProductId());
    await database.imports.requestCancel(importId, 'client:a');
    const reason = 'The insert was cancelled with its import, by client:a.';
    const runId = randomUUID();
    const ended = { kind: 'ended', reason: 'The insert was cancelled.' };
    expect(await begin(id, runId)).toEqual(ended);
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      status: 'regulator_insert_failed',
      jobId: runId,
      failureReason: [plainReason(reason)],
    });
    // Neither Temporal nor the audit trail may keep a name.
    expect(await begin(id, runId)).toEqual(ended);
    const { events } = await database.auditTrail.list({ submissionId: id }, { limit: 10 });
    expect(JSON.stringify(events.map(({ detail }) => detail))).not.toContain('client:a');
    await database.imports.complete(importId, 'cancelled', 'test');
    expect(await begin(id, randomUUID())).toMatchObject({ kind: 'run' });
  });

  it('stays failed when a retry is superseded, even if the start of the retry is recorded later', async () => {
    const productId = newProductId();
    const older = await newSubmission(database, productId);
    const first = randomUUID();
    await begin(older.id, first);
    await database.insertRuns.fail(older.id, first, [plainReason('rejected')], 'test');
    const newer = await newSubmission(database, productId, 'new');
    await begin(newer.id, randomUUID());
    const retry = randomUUID();
    expect(await begin(older.id, retry)).toEqual({ kind: 'superseded', by: newer.id });
    await database.insertRuns.recordStart(older.id, retry, 'test');
    expect((await database.submissions.find(older.id))?.submission).toMatchObject({
      status: 'regulator_insert_failed',
      jobId: retry,
    });
  });

  it('takes the submission over and lists all steps', async () => {
    const { id } = await newSubmission(database, newProductId());
    const runId = randomUUID();
    expect(await begin(id, runId)).toMatchObject({ kind: 'run', steps: INSERT_STEPS });
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      status: 'regulator_inserting',
      jobId: runId,
    });
  });

  it('lists the steps from the first unset flag', async () => {
    const { id } = await newSubmission(database, newProductId());
    await begin(id, randomUUID());
    await complete(id, 'init_validate');
    await complete(id, 'product_details');
    expect(await begin(id, randomUUID())).toMatchObject({ kind: 'run', steps: INSERT_STEPS.slice(2) });
  });

  it('of a run that was declared ended changes nothing; another run takes over', async () => {
    const { id } = await newSubmission(database, newProductId());
    const runId = randomUUID();
    await database.insertRuns.recordStart(id, runId, 'test');
    await database.insertRuns.fail(id, runId, [plainReason('gone'), plainReason('for good')], 'test');
    expect(await begin(id, runId)).toEqual({ kind: 'ended', reason: 'gone; for good' });
    expect(await statusOf(id)).toBe('regulator_insert_failed');
    expect(await begin(id, randomUUID())).toMatchObject({ kind: 'run' });
  });

  it('that waits for the record of its start finds what was recorded, and moves nothing again', async () => {
    const { id } = await newSubmission(database, newProductId());
    const runId = randomUUID();
    const orm = await openOrm(url);
    const beginning = await orm.em.fork().transactional(async (em) => {
      await takeOver(em, await lock(em, id), runId, 'client');
      const begun = database.insertRuns.begin(id, runId, 'test');
      await someWaitForALock(url);
      return { begun };
    });
    expect((await beginning.begun).decision).toEqual({ kind: 'run', steps: INSERT_STEPS });
    expect(await auditedMoves(id)).toEqual([{ from: 'local', to: 'regulator_inserting' }]);
  });

  it('finds identical content that was inserted meanwhile', async () => {
    const productId = newProductId();
    const first = await newSubmission(database, productId);
    const run = randomUUID();
    await begin(first.id, run);
    const opened = { caseId: 'CASE-1', submissionDate: 'day', modifiedDate: 'later', submissionType: '1' };
    await complete(first.id, 'init_validate', run, { opened });
    await completeSteps(first.id);
    await database.insertRuns.finish(first.id, run, 'test');
    const second = await newSubmission(database, productId);
    expect(await begin(second.id, randomUUID())).toMatchObject({
      kind: 'inserted',
      caseId: 'CASE-1',
      by: first.id,
    });
    expect((await database.submissions.find(second.id))?.submission).toMatchObject({
      status: 'regulator_inserted',
      caseId: 'CASE-1',
      regulatorSubmissionDate: 'day',
      regulatorModifiedDate: 'later',
      regulatorSubmissionType: '1',
    });
    const changed = await newSubmission(database, productId, 'other');
    expect(await begin(changed.id, randomUUID())).toMatchObject({ kind: 'run' });
  });
});

describe('a package that is read after a later one', () => {
  /** Reads the product as a file of the import. Returns the verdict and the id of the submission, if there is one. */
  async function read(
    importId: number,
    product: { productId: string; brand: string },
    { tenant = 'client', refused = [] }: { tenant?: string; refused?: ProductCheck[] } = {},
  ) {
    const result = parseProduct(Buffer.from(productXml(product)));
    const file = { kind: 'product', index: 0, path: '0.xml', name: '0.xml', sizeBytes: 1 } as const;
    const one: ReadProduct = { file, gzip: null, result };
    const known = await findKnown(database, { tenant, importId }, [one]);
    const { verdict, outcome } = judge(one, new Set(), known, { refused });
    await database.reading.record(importId, null, [outcome]);
    const { page } = await database.submissions.list({ importId }, { limit: 1 });
    return { verdict, id: page[0]?.id ?? 0 };
  }

  async function insert(id: number): Promise<void> {
    const runId = randomUUID();
    expect(await begin(id, runId)).toMatchObject({ kind: 'run' });
    await completeSteps(id);
    await database.insertRuns.finish(id, runId, 'test');
  }

  const uploaded = async () => {
    const [earlier, later] = [await newImport(database), await newImport(database)];
    return { productId: newProductId(), earlier, later };
  };

  it('is superseded by it, and does not supersede it', async () => {
    const { productId, earlier, later } = await uploaded();
    const correction = await read(later, { productId, brand: 'Corrected' });
    const old = await read(earlier, { productId, brand: 'Old' });
    expect(old).toMatchObject({ verdict: 'new' });
    await database.queue.recordResults(earlier, [queued(old.id, randomUUID())], 'test');
    expect(await database.submissions.find(correction.id)).toMatchObject({ offersInsert: false });
    await database.imports.markRead(later);
    expect(await database.submissions.find(correction.id)).toMatchObject({ offersInsert: true });
    await insert(correction.id);
    expect(await begin(old.id, randomUUID())).toEqual({ kind: 'superseded', by: correction.id });
    await database.imports.markRead(earlier);
    expect(await database.submissions.find(old.id)).toMatchObject({ offersInsert: false });
  });

  it('is inserted with it if the content is identical', async () => {
    const { productId, earlier, later } = await uploaded();
    const product = { productId, brand: 'Same' };
    const first = await read(later, product);
    await insert(first.id);
    const second = await read(earlier, product);
    expect(await begin(second.id, randomUUID())).toMatchObject({ kind: 'inserted', by: first.id });
    expect(await statusOf(second.id)).toBe('regulator_inserted');
  });

  it('does not pass a later one that has the product as it is inserted', async () => {
    const product = { productId: newProductId(), brand: 'Inserted' };
    const inserted = await read(await newImport(database), product);
    await insert(inserted.id);
    const { earlier, later } = await uploaded();
    const undo = await read(later, product, { refused: ['known_product'] });
    const changed = await read(earlier, { ...product, brand: 'Changed' });
    await database.queue.recordResults(later, [queued(undo.id, randomUUID())], 'test');
    expect(await begin(changed.id, randomUUID())).toEqual({ kind: 'superseded', by: undo.id });
    expect(await begin(undo.id, randomUUID())).toMatchObject({ kind: 'inserted', by: inserted.id });
  });

  it('is not what later packages are compared with', async () => {
    const { productId, earlier, later } = await uploaded();
    const correction = await read(later, { productId, brand: 'Corrected' });
    // The later product is queued after the insert of the earlier one.
    const old = await read(earlier, { productId, brand: 'Old' });
    await insert(old.id);
    await insert(correction.id);
    const last = await database.productHistory.lastInserted(productId, null);
    expect(last?.submissionId).toBe(correction.id);
    const again = await read(
      await newImport(database, { clientId: 'other' }),
      { productId, brand: 'Corrected' },
      { tenant: 'other' },
    );
    expect(again).toMatchObject({ verdict: 'unchanged' });
  });
});

describe('entering a step', () => {
  const begun = async () => {
    const { id } = await newSubmission(database, newProductId());
    const run = randomUUID();
    await begin(id, run);
    return { id, run };
  };

  it.each(INSERT_STEPS)('%s returns its own section, and shows the step as started', async (step) => {
    const { id, run } = await begun();
    const found = (await database.submissions.find(id))?.submission;
    expect(await database.insertSteps.enterStep(id, step, run)).toEqual({
      kind: 'open',
      submission: {
        id,
        uuid: found?.uuid,
        productId: found?.productId,
        productTypeCode: 1,
        submissionTypeCode: 1,
        caseId: null,
        section: sectionOf(step),
        sectionBytes: sectionOf(step).length,
        attachments: [],
        remaining: INSERT_STEPS,
      },
    });
    expect((await database.submissions.find(id))?.submission.currentStep).toBe(step);
  });

  it('of a completed step reports that to every run', async () => {
    const { id, run } = await begun();
    await complete(id, 'design');
    for (const runId of [run, randomUUID()])
      expect(await database.insertSteps.enterStep(id, 'design', runId)).toEqual({ kind: 'done' });
    expect(await database.insertSteps.enterStep(id, 'emission', run)).toMatchObject({ kind: 'open' });
  });

  it('of a missing submission is an error', async () => {
    await expect(database.insertSteps.enterStep(1_000_000, 'design', randomUUID())).rejects.toThrow(
      'Submission 1000000 not found',
    );
  });
});

describe('completing a step', () => {
  it('starts the next step and returns its content, for the run that owns the submission', async () => {
    const { id } = await newSubmission(database, newProductId());
    const run = randomUUID();
    await begin(id, run);
    const next = await complete(id, 'init_validate', run, {
      opened: { caseId: 'CASE-7', submissionDate: 'a', modifiedDate: 'b', submissionType: 'c' },
      modifiedDate: 'd',
    });
    const entered = await database.insertSteps.enterStep(id, 'product_details', run);
    expect(next).toEqual({ kind: 'next', step: 'product_details', submission: expect.any(Object) });
    expect(entered).toEqual({ kind: 'open', submission: (next as { submission: unknown }).submission });
    expect((await database.submissions.find(id))?.submission).toMatchObject({
      caseId: 'CASE-7',
      currentStep: 'product_details',
      initValidate: true,
      regulatorSubmissionDate: 'a',
      regulatorModifiedDate: 'd',
      regulatorSubmissionType: 'c',
    });
  });

  it('sets only the flag for a run that has lost the submission', async () => {
    const { id } = await newSubmission(database, newProductId());
    const [lost, current] = [randomUUID(), randomUUID()];
    await begin(id, lost);
    await begin(id, current);
    expect(await complete(id, 'design', lost)).toEqual({ kind: 'completed' });
    const { submission } = (await database.submissions.find(id)) ?? {};
    expect(submission).toMatchObject({ design: true, currentStep: 'init_validate', jobId: current });
  });

  it('of the last step ends the insert in the same statement, audited once', async () => {
    const { id } = await newSubmission(database, newProductId());
    const run = randomUUID();
    await begin(id, run);
    for (const step of INSERT_STEPS.slice(0, -1))
      expect(await complete(id, step, run)).toMatchObject({ kind: 'next' });
    expect(await complete(id, 'emission', run)).toEqual({ kind: 'inserted', caseId: null });
    expect(await statusOf(id)).toBe('regulator_inserted');
    expect((await auditedMoves(id)).at(-1)).toEqual({
      from: 'regulator_inserting',
      to: 'regulator_inserted',
    });
    expect(await complete(id, 'emission', run)).toEqual({ kind: 'completed' });
    expect((await auditedMoves(id)).filter(({ to }) => to === 'regulator_inserted')).toHaveLength(1);
  });

  it('does not end the insert while another step is left', async () => {
    const { id } = await newSubmission(database, newProductId());
    const run = randomUUID();
    await begin(id, run);
    expect(await complete(id, 'emission', run)).toEqual({ kind: 'completed' });
    expect(await statusOf(id)).toBe('regulator_inserting');
  });
});

describe('the accepted parts of a step that is not done', () => {
  it('are the case and the sent attachments: the next attempt continues after them', async () => {
    const importId = await newImport(database);
    const ids = [randomUUID(), randomUUID()];
    for (const attachmentId of ids) {
      const attachment = newAttachment({ attachmentId, entryPath: attachmentId });
      await database.referredFiles.recordAttachment(importId, attachment, async () => {});
    }
    const known = await database.referredFiles.latestAttachments(ids, { tenant: 'client', importId });
    const attachments = [...known].map(([attachmentId, { id: attachment }]) => {
      return { attachmentId, step: 'init_validate' as const, attachment };
    });
    const file = { ...createdFile(newProductId()), attachments };
    await database.reading.record(importId, null, [file]);
    const id = (await reportOf(database, importId)).submissions[0]?.id ?? 0;
    const run = randomUUID();
    const { begun } = await database.insertRuns.begin(id, run, 'test');
    const [first, second] = begun?.submission.attachments ?? [];
    const opened = { caseId: 'CASE-8', submissionDate: 'a', modifiedDate: 'b', submissionType: 'c' };
    await database.insertSteps.recordParts(id, { opened, sent: [first?.linkId ?? 0] });
    const submission = { ...begun?.submission, caseId: 'CASE-8', attachments: [second] };
    expect(await database.insertSteps.enterStep(id, 'init_validate', run)).toEqual({
      kind: 'open',
      submission,
    });

    const sentAt = async () => (await database.dossiers.references(id)).map((reference) => reference.sentAt);
    const [at] = await sentAt();
    await database.insertSteps.recordParts(id, { sent: [first?.linkId ?? 0, second?.linkId ?? 0] });
    expect(await sentAt()).toEqual([at, expect.any(Date)]);
  });
});

describe('a run that has lost the submission to another', () => {
  it('can neither start nor complete a step', async () => {
    const { id } = await newSubmission(database, newProductId());
    const [lost, current] = [randomUUID(), randomUUID()];
    await begin(id, lost);
    await begin(id, current);
    expect(await database.insertSteps.enterStep(id, 'design', lost)).toMatchObject({
      kind: 'not-owner',
      jobId: current,
    });
    expect(await database.insertRuns.fail(id, lost, REJECTED, 'test')).toBe(false);
    expect(await database.insertRuns.finish(id, lost, 'test')).toBeUndefined();
    expect(await statusOf(id)).toBe('regulator_inserting');
  });
});

describe('the end of a run', () => {
  it('is refused while steps are left', async () => {
    const { id } = await newSubmission(database, newProductId());
    const run = randomUUID();
    await begin(id, run);
    await complete(id, 'init_validate');
    expect(await database.insertRuns.finish(id, run, 'test')).toBeUndefined();
    expect(await statusOf(id)).toBe('regulator_inserting');
  });

  it.each(['itself', 'another run'])(
    'is accepted when every step is done, also when %s ended the last one',
    async (who) => {
      const { id } = await newSubmission(database, newProductId());
      const [failed, another] = [randomUUID(), randomUUID()];
      const finishing = who === 'itself' ? failed : another;
      await begin(id, failed);
      await completeSteps(id);
      await database.insertRuns.fail(id, failed, REJECTED, 'test');
      expect(await database.insertRuns.finish(id, finishing, 'test')).toBeNull();
      expect((await database.submissions.find(id))?.submission).toMatchObject({
        status: 'regulator_inserted',
        jobId: finishing,
        failureReason: null,
      });
    },
  );
});

describe('the status as a state machine', () => {
  it('makes only legal moves in any order of events, and audits each', async () => {
    const command = fc.constantFrom(
      'begin',
      'finish',
      'fail',
      'begin-other',
      'fail-other',
      'record',
      'complete',
      'complete-own',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), async (commands) => {
        const { id, importId } = await newSubmission(database, newProductId());
        const [run, other] = [randomUUID(), randomUUID()];
        for (const one of commands) {
          if (one === 'begin') await begin(id, run);
          if (one === 'begin-other') await begin(id, other);
          if (one === 'finish') await database.insertRuns.finish(id, run, 'test');
          if (one === 'fail') await database.insertRuns.fail(id, run, REJECTED, 'test');
          if (one === 'fail-other') await database.insertRuns.fail(id, other, REJECTED, 'test');
          if (one === 'complete') await completeSteps(id);
          if (one === 'complete-own') await completeSteps(id, run);
          if (one === 'record') {
            const result = {
              submissionId: id,
              status: 202 as const,
              message: 'queued',
              jobId: run,
              jobState: null,
            };
            await database.queue.recordResults(importId, [result], 'test');
          }
        }
        let status: SubmissionStatus = 'local';
        for (const { from, to } of await auditedMoves(id)) {
          expect(from).toBe(status);
          expect(LEGAL_TRANSITIONS[status]).toContain(to);
          status = to;
        }
        expect(await statusOf(id)).toBe(status);
      }),
      { numRuns: 40 },
    );
  });

  it('survives concurrent ends: one failure is recorded, and inserted products stay inserted', async () => {
    const run = randomUUID();
    const { id: failing } = await newSubmission(database, newProductId());
    await begin(failing, run);
    const fail = (id: number, reason: string) =>
      database.insertRuns.fail(id, run, [plainReason(reason)], 'test');
    const failures = await Promise.all([fail(failing, 'a'), fail(failing, 'b')]);
    expect(failures.filter(Boolean)).toHaveLength(1);

    const { id: inserted } = await newSubmission(database, newProductId());
    await begin(inserted, run);
    await completeSteps(inserted);
    const finish = database.insertRuns.finish(inserted, run, 'test');
    await Promise.all([fail(inserted, 'a'), finish, fail(inserted, 'b')]);
    expect(await statusOf(inserted)).toBe('regulator_inserted');
  });
});
