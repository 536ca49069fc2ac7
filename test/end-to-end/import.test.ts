/** The main job over real HTTP, Temporal, PostgreSQL, identity service, simulator and SMTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

describe('a package with good, failed and skipped files', () => {
  it('is answered precisely, inserted, and summed up in one mail', async () => {
    const [first, second] = [newProductId(), newProductId()];
    const zip = await zipOf({
      [productPath('a')]: productXml({ productId: first, type: '1' }),
      [productPath('b')]: productXml({ productId: second }),
      [productPath('c')]: productXml({ type: '10' }),
      [productPath('d')]: '<EcigProductSubmission>',
      [productPath('e')]: productXml({ productId: first }),
    });
    const answer = await upload(stack, zip, { comment: 'hello', email: 'user@company.example' });
    expect(answer.status).toBe(200);
    expect(answer.body.message).toBe(
      'Package ZIP processed with partial results. Added: 2, skipped: 1, failed: 2, queued: 2, queue_failed: 0.',
    );
    expect(answer.body.data.zip_import.extracted_xml_files).toBe(5);
    expect(answer.body.data.notification).toEqual({ email: 'user@company.example', status: 'pending' });

    const report = await finished(stack, answer.body.data.id);
    expect(report.submissions.map(({ status }) => status)).toEqual([
      'regulator_inserted',
      'regulator_inserted',
    ]);
    expect(report.notification?.status).toBe('sent');
    const mails = await stack.mailbox.store.list();
    const summaries = mails.filter(({ to }) => to.includes('user@company.example'));
    expect(summaries).toHaveLength(1);
    expect(summaries[0]?.text).toContain(first);
    expect(stack.simulator.simulation.state.cases).toHaveLength(2);
  });
});

describe('a product whose insert is running', () => {
  it('is refused with 409 and stays local', async () => {
    stack.simulator.simulation.behaviour.latency_ms = 300;
    const productId = newProductId();
    const zip = await zipOf({ [productPath('a')]: productXml({ productId }) });
    const changed = await zipOf({ [productPath('a')]: productXml({ productId, brand: 'Other' }) });
    const first = await upload(stack, zip);
    const second = await upload(stack, changed);
    stack.simulator.simulation.behaviour.latency_ms = 0;
    expect(first.body.data.queue.results[0]).toMatchObject({ ok: true, status: 202 });
    const refused = second.body.data.queue.results[0];
    expect(refused).toMatchObject({ ok: false, status: 409 });
    expect(refused?.data).toMatchObject({ job_id: first.body.data.queue.results[0]?.data.job_id });
    expect(second.body.data.submissions[0]).toMatchObject({ status: 'local', actions: ['regulator-insert'] });
    await eventually(async () => (await finished(stack, second.body.data.id)).status === 'completed');
  });
});
