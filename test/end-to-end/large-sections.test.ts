/** Resident memory of gateway and worker while many inserts send the largest sections (architecture §limits). */
import { expect, it } from 'vitest';
import { writeZip } from '../archive/support/zip-writer.ts';
import { watchMemory } from '../support/memory.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';

/** More than a worker inserts at a time. */
const PRODUCTS = 60;
/** As many as the limit of elements allows: a section of 2.4 MB. */
const PRESENTATIONS = 5_400;
const PRESENTATION = /<Presentation>[\s\S]*?<\/Presentation>/;

const stack = await startStack({ withoutWorkers: true });
const [gateway, worker] = await Promise.all([stack.startProcess('gateway'), stack.startProcess('worker')]);

/** A product whose presentations make one large section. */
const largeProduct = () =>
  productXml().replace(PRESENTATION, (presentation) =>
    Array.from({ length: PRESENTATIONS }, (_, n) => presentation.replace('0001', String(10_000 + n))).join(
      '',
    ),
  );

it('gateway and worker stay within 400 MB above idle', { timeout: 500_000 }, async () => {
  const entries = Array.from({ length: PRODUCTS }, (_, n) => ({
    name: productPath(`large${n}`),
    content: largeProduct(),
    deflated: true,
  }));
  stack.simulator.simulation.behaviour.latency_ms = 500;
  const apart = { ...stack, gatewayUrl: gateway.url };
  const watch = await watchMemory([gateway.pid, worker.pid]);
  const { body } = await upload(apart, writeZip({ entries }));
  expect(body.data.queue.queued_count).toBe(PRODUCTS);
  await finished(apart, body.data.id);
  await watch.stop();
  const growthMb = watch.growthMib();
  process.stdout.write(`memory above idle: ${Math.round(growthMb)} MB\n`);
  expect(growthMb).toBeLessThan(400);
});
