/**
 * The interface document, point by point (1 of 2): the upload and its answer. A test's title begins with
 * the section and point that it ticks off.
 */
import { describe, expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const goodId = newProductId();

const stack = await startStack();
const good = await upload(
  stack,
  await zipOf({
    [productPath('0d9e9c8e-1111-4222-8333-444455556666')]: productXml({ productId: goodId, type: '1' }),
  }),
  {
    comment: 'first import',
    email: 'person@company.example',
  },
);
const partial = await upload(
  stack,
  await zipOf({
    [productPath('good')]: productXml(),
    [productPath('unknown-type')]: productXml({ type: '77' }),
    'root/export/attachments/': '',
    'root/export/submitters/': '',
  }),
);

describe('2.1 upload request', () => {
  it('comment: copied into the import record and into each submission', () => {
    expect(good.body.data.comment).toBe('first import');
    expect(good.body.data.submissions[0]?.zip_import_id).toEqual({
      id: good.body.data.id,
      comment: 'first import',
    });
    expect(good.body.data.submissions[0]?.regulator_data.submission_comment).toBe('first import');
  });

  it('email: absent and without a configured default, there is no notification', () => {
    expect(partial.body.data.notification).toBeNull();
  });

  it('email and comment: blank counts as absent (decision §uploads)', async () => {
    const answer = await upload(stack, await zipOf({ [productPath('a')]: productXml() }), {
      email: ' ',
      comment: '',
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ comment: null, notification: null });
  });
});

describe('2.2 ZIP layout', () => {
  it('result reports XML files by file name', () => {
    expect(partial.body.data.zip_import.failed.map(({ xml_file }) => xml_file)).toEqual(['unknown-type.xml']);
  });

  it('more than one top-level directory is an explicit error that lists them (also 7 rule 1)', async () => {
    const zip = await zipOf({
      [productPath('a', 'zeta')]: productXml(),
      [productPath('b', 'alpha')]: productXml(),
    });
    const answer = await upload(stack, zip);
    expect(answer.status).toBe(500);
    expect(answer.body.status).toBe('error');
    expect(answer.body.message).toBe(
      'Invalid submission ZIP: expected a single root directory but found multiple: alpha, zeta',
    );
  });

  it('files of operating systems are not root directories (decision §refuse-or-warn)', async () => {
    const zip = await zipOf({
      [productPath('a')]: productXml(),
      '__MACOSX/root/._a.xml': 'x',
      '.DS_Store': 'x',
    });
    expect((await upload(stack, zip)).status).toBe(200);
  });

  it('folders may be in any case; an XML file in another folder is a warning, also in the mail', async () => {
    const zip = await zipOf({
      'root/EXPORT/EcigArette-Product-Submissions/read.xml': productXml(),
      'root/export/direct.xml': productXml(),
      'root/export/products/elsewhere.xml': productXml(),
      'outside.xml': '<Anything/>',
      'root/readme.txt': 'no XML',
    });
    const answer = await upload(stack, zip, { email: 'person@company.example' });
    expect(answer.body.message).toBe('Package ZIP imported and queued successfully.');
    const { id, zip_import } = answer.body.data;
    expect(zip_import).toMatchObject({ extracted_xml_files: 1, failed: [], skipped_count: 0 });
    const lost = ['root/export/direct.xml', 'root/export/products/elsewhere.xml', 'outside.xml'];
    expect(zip_import.warnings.map(({ text }) => text)).toEqual(
      lost.map((path) => expect.stringMatching(`^XML file "${path}" was not read`)),
    );
    await finished(stack, id);
    const [mail] = await stack.imports.summariesOf(id);
    expect(mail?.text).toContain('Files that were not read');
    for (const path of lost) expect(mail?.text).toContain(path);
  });

  it('an archive without export is refused with what was found', async () => {
    const answer = await upload(stack, await zipOf({ 'root/exports/a.xml': '<a/>' }));
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain('"export"');
    expect(answer.body.message).toContain('"exports"');
  });
});

describe('2.3 response envelope', () => {
  it('fully successful: imported and queued successfully', () => {
    expect(good.status).toBe(200);
    expect(good.body.status).toBe('success');
    expect(good.body.message).toBe('Package ZIP imported and queued successfully.');
  });

  it('partial result: the message carries the counts', () => {
    expect(partial.status).toBe(200);
    expect(partial.body.status).toBe('success');
    expect(partial.body.message).toBe(
      'Package ZIP processed with partial results. Added: 1, skipped: 0, failed: 1, queued: 1, queue_failed: 0.',
    );
  });
});

describe('2.4 import result', () => {
  it('has exactly its fields', () => {
    expect(Object.keys(good.body.data).sort()).toEqual(
      [
        'comment',
        'id',
        'notification',
        'queue',
        'submissions',
        'zip_file',
        'zip_file_path',
        'zip_import',
      ].sort(),
    );
    expect(good.body.data.id).toEqual(expect.any(Number));
    expect(good.body.data.zip_file_path).toMatch(/\.zip$/);
    expect(good.body.data.zip_file.uploaded_at).toMatch(ISO_MS);
    expect(good.body.data.zip_file.size_mb).toMatch(/^\d+\.\d{2}$/);
  });

  it('notification: recipient and status', () => {
    expect(good.body.data.notification).toEqual({ email: 'person@company.example', status: 'pending' });
  });
});

describe('2.5 zip_import', () => {
  it('counts and lists', () => {
    const { zip_import } = partial.body.data;
    expect(zip_import).toMatchObject({ extracted_xml_files: 2, skipped_count: 0 });
    expect(zip_import.created_submissions).toEqual([
      {
        id: expect.any(Number),
        product_id: expect.any(String),
        product_type: 'Refill container/cartridge containing e-liquid',
        status: 'local',
      },
    ]);
    expect(zip_import.failed).toEqual([
      {
        xml_file: 'unknown-type.xml',
        error: expect.stringContaining('"77"'),
        reasons: [
          {
            path: 'Product/ProductType',
            line: expect.any(Number),
            check: null,
            text: 'ProductType "77" is unknown; expected 1-9',
            commission_code: 'ERR-STRUCTURE-0003',
          },
        ],
      },
    ]);
    expect(good.body.data.zip_import.failed).toEqual([]);
  });
});

describe('2.6 queue', () => {
  it('a queued submission: 202 with job, process, submission and comment', () => {
    const { queue, submissions } = good.body.data;
    expect(queue).toMatchObject({ queued_count: 1, failed_count: 0 });
    expect(queue.results).toEqual([
      {
        submission_id: submissions[0]?.id,
        ok: true,
        status: 202,
        message: expect.any(String),
        data: {
          job_id: expect.stringMatching(UUID),
          run_process: 'regulator-insert',
          submission_id: submissions[0]?.id,
          submission_comment: 'first import',
        },
      },
    ]);
  });
});

describe('2.7 submission', () => {
  it('as it is at creation, queued', () => {
    const [submission] = good.body.data.submissions;
    expect(submission).toMatchObject({
      id: expect.any(Number),
      uuid: expect.stringMatching(UUID),
      case_id: null,
      product_id: goodId,
      status: 'regulator_inserting',
      regulator_data: {
        status: 'local',
        product_type: 'Electronic cigarette - Disposable',
        submission_date: '',
        submission_type: '',
        modified_date: '',
      },
      state: { extracted_data: true, ...Object.fromEntries(INSERT_STEPS.map((step) => [step, false])) },
      source: 'zip',
      created_at: expect.stringMatching(ISO_MS),
      updated_at: expect.stringMatching(ISO_MS),
      actions: [],
    });
    const ours = ['xml_file', 'warnings', 'failure_reason', 'reasons', 'job_id'];
    const ofContract =
      'id uuid case_id product_id zip_import_id status regulator_data state source created_at updated_at';
    expect(new Set(Object.keys(submission ?? {}))).toEqual(
      new Set([...ofContract.split(' '), 'actions', ...ours]),
    );
  });

  it('an unknown product-type code makes the file fail', () => {
    expect(partial.body.data.zip_import.failed[0]?.error).toMatch(/ProductType.*"77".*1-9/);
  });
});

describe('3.1 submission status', () => {
  it('goes from local over regulator_inserting to regulator_inserted, with a case and all flags', async () => {
    const report = await finished(stack, good.body.data.id);
    expect(report.submissions[0]).toMatchObject({
      status: 'regulator_inserted',
      case_id: expect.stringMatching(/^CASE-/),
    });
    expect(Object.values(report.submissions[0]?.state ?? {})).toEqual(Array(7).fill(true));
  });

  it('already queued or running: 409, stays local, offers regulator-insert', async () => {
    stack.imports.takeRegulatorAway();
    const productId = newProductId();
    const first = await upload(stack, await zipOf({ [productPath('a')]: productXml({ productId }) }));
    const second = await upload(
      stack,
      await zipOf({ [productPath('a')]: productXml({ productId, brand: 'New' }) }),
    );
    stack.imports.restoreRegulator();
    expect(second.status).toBe(200);
    expect(second.body.message).toContain('queued: 0, queue_failed: 1.');
    expect(second.body.data.queue).toMatchObject({ queued_count: 0, failed_count: 1 });
    expect(second.body.data.queue.results[0]).toMatchObject({
      ok: false,
      status: 409,
      data: {
        job_id: first.body.data.submissions[0]?.job_id,
        job_state: expect.stringMatching(/^(waiting|active)$/),
      },
    });
    expect(second.body.data.submissions[0]).toMatchObject({ status: 'local', actions: ['regulator-insert'] });
  });
});

describe('3.2 and 6 notification', () => {
  it('one summary e-mail, after all products have finished; its status goes from pending to sent', async () => {
    const report = await finished(stack, good.body.data.id);
    expect(report.notification).toEqual({ email: 'person@company.example', status: 'sent', error: null });
    const mails = await stack.imports.summariesOf(good.body.data.id);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.to).toEqual(['person@company.example']);
    expect(mails[0]?.text).toContain(goodId);
    expect(mails[0]?.html).toContain(goodId);
  });
});

describe('4.1 import endpoint', () => {
  it('rule 2: another extension, 400; .ZIP in capitals is accepted (decision §uploads)', async () => {
    const zip = await zipOf({ [productPath('a')]: productXml() });
    const refused = await upload(stack, zip, { fileName: 'package.tar' });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('.zip');
    expect((await upload(stack, zip, { fileName: 'PACKAGE.ZIP' })).status).toBe(200);
  });

  it('rule 7: processed in the same request, every product queued', () => {
    expect(good.body.data.queue.queued_count).toBe(good.body.data.submissions.length);
  });
});
