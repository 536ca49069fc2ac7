/** Resident memory of gateway and worker, as processes of their own, for any input (issue: 400 MB above idle). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeZip } from '../archive/support/zip-writer.ts';
import { watchMemory } from '../support/memory.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { type StackProcess, startStackProcess } from '../support/services/stack-processes.ts';
import { finished, upload } from '../support/upload.ts';

const MIB = 1024 * 1024;

let stack: TestStack;
let gateway: StackProcess;
let worker: StackProcess;
beforeAll(async () => {
  stack = await startTestStack({ withoutWorkers: true });
  [gateway, worker] = await Promise.all([
    startStackProcess(stack, 'gateway'),
    startStackProcess(stack, 'worker'),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), worker?.stop()]);
  await stack.stop();
});

const attachment = (content: string) =>
  `<Attachment><AttachmentID>238d0f2d-5dd0-4f07-838e-24680cb37d51</AttachmentID><Filename>a</Filename><Content>${content}</Content><ContentType>application/pdf</ContentType><Confidential>true</Confidential></Attachment>`;

it('stays within 400 MB above idle', { timeout: 300_000 }, async () => {
  // The input with the slowest parsing and the most memory: as many elements as the limit allows, in as many
  // bytes.
  const heavy = (n: number) =>
    productXml().replace(
      '<Design>',
      `${`<Unknown a="${n}">${'text '.repeat(11)}</Unknown>`.repeat(49_000)}<Design>`,
    );
  const heavies = Array.from({ length: 12 }, (_, n) => ({
    name: productPath(`heavy${n}`),
    content: heavy(n),
    deflated: true,
  }));
  // Sixty megabytes of one letter: the limit of the compression ratio.
  const inflated = {
    name: 'root/export/attachments/inflated.xml',
    content: attachment('A'.repeat(60 * MIB)),
    deflated: true,
  };
  const zip = writeZip({
    entries: [...heavies, inflated, { name: 'root/noise.bin', content: Buffer.alloc(MIB) }],
  });
  const apart = { ...stack, gatewayUrl: gateway.url };
  const watch = await watchMemory([gateway.pid, worker.pid]);
  const answer = await upload(apart, zip);
  expect(answer.body.message).toMatch(/imported and queued/);
  await finished(apart, answer.body.data.id);
  await watch.stop();
  const growthMb = (watch.peak() - watch.idle) / MIB;
  process.stdout.write(`memory above idle: ${Math.round(growthMb)} MB\n`);
  expect(growthMb).toBeLessThan(400);
});
