/** A mail server that accepts connections and never answers: only mails and the ends of their imports wait for it. */
import { expect, it } from 'vitest';
import { atEnd } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { call, finished, report, upload } from '../support/upload.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { zipOf } from '../support/zip.ts';

/** More than the activities that the import worker runs at once. */
const WAITING_MAILS = 12;

const targets: number[] = [];
const mailServer = await startTcpProxy(targets);
const receiver = await startWebhookReceiver();
const stack = await startStack({
  env: { WEBHOOK_HOSTS: receiver.host },
  change({ mail }) {
    targets.push(mail.port);
    return { mail: { ...mail, url: `smtp://127.0.0.1:${mailServer.port}` } };
  },
});
const { imports } = stack;
// The worker stops before the proxy only if no mail waits for an answer.
atEnd(() => mailServer.refuse());

it('delays no retry, no refusal and no webhook', async () => {
  await call(stack, 'PUT', '/regulator/webhook', { json: { url: receiver.url } });
  const rejected = newProductId();
  imports.reject(rejected);
  const failed = await imports.importOne({ productId: rejected });
  await finished(stack, failed.importId);
  mailServer.silence();
  const waiting = await Promise.all(Array.from({ length: WAITING_MAILS }, () => imports.importOne()));
  await eventually(async () => {
    const mails = await stack.count("notification where status in ('sending', 'pending')");
    return (
      mails === WAITING_MAILS && (await stack.count("submission where status = 'regulator_inserting'")) === 0
    );
  });
  const path = `/regulator/package-imports/${waiting[0]?.importId}/actions/cancel`;
  expect(await call(stack, 'POST', path)).toMatchObject({
    status: 409,
    body: { data: { code: 'action_not_available' } },
  });

  imports.takeRegulatorAway();
  const retry = await imports.run(failed.submissionId);
  expect(retry.status).toBe(202);
  const second = await imports.importProducts([{ productId: rejected }]);
  expect(second.queue.results.map(({ status }) => status)).toEqual([409]);
  imports.restoreRegulator();
  await imports.reached(failed.submissionId, 'regulator_inserted');

  const withoutMail = await upload(stack, await packageOf({}));
  await finished(stack, withoutMail.body.data.id);
  await eventually(async () => receiver.messages.length > 0);
});

it('gets the reason why a package could not be read, once it answers', async () => {
  mailServer.restore();
  const answer = await upload(stack, await zipOf({ 'root/readme.txt': 'no export here' }), {
    email: 'person@company.example',
  });
  expect(answer.status).toBe(500);
  const { id } = answer.body.data;
  const [summary] = await eventually(async () => {
    const mails = await imports.summariesOf(id);
    return mails.length > 0 ? mails : null;
  });
  expect(summary?.subject).toBe(`Package import ${id}: the package could not be read`);
  await eventually(async () => (await report(stack, id)).notification?.status === 'sent');
});
