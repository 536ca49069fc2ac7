/** Resident memory of gateway and worker, as processes of their own, for any input (issue: 400 MB above idle). */
import { expect, it } from 'vitest';
import { writeZip } from '../archive/support/zip-writer.ts';
import { watchMemory } from '../support/memory.ts';
import { attachmentXml, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';

const MIB = 1024 * 1024;

const stack = await startStack({ withoutWorkers: true });
const [gateway, worker] = await Promise.all([stack.startProcess('gateway'), stack.startProcess('worker')]);

it('gateway and worker stay within 400 MB above idle', { timeout: 300_000 }, async () => {
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
    content: attachmentXml(Buffer.alloc(45 * MIB)),
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
  const growthMb = watch.growthMib();
  process.stdout.write(`memory above idle: ${Math.round(growthMb)} MB\n`);
  expect(growthMb).toBeLessThan(400);
});
