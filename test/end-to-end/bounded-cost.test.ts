/**
 * The cost of one client's uploads is bounded: packages that once crashed the gateway, or the worker
 * repeatedly. Gateway and worker run as in production, with their small heaps.
 */
import { afterEach, expect, it } from 'vitest';
import { type EntrySpec, writeZip } from '../archive/support/zip-writer.ts';
import { newProductId, productPath, productXml, unknownReferences } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';

const ended: string[] = [];
const stack = await startStack({ withoutWorkers: true });
const [gateway, worker] = await Promise.all([stack.startProcess('gateway'), stack.startProcess('worker')]);
void gateway.exited.then((how) => ended.push(`gateway: ${how}`));
void worker.exited.then((how) => ended.push(`worker: ${how}`));
const apart = { ...stack, gatewayUrl: gateway.url };
afterEach(() => expect(ended).toEqual([]));

const referring = (references: number, productId = newProductId()): EntrySpec => ({
  name: productPath(productId),
  content: productXml({
    productId,
    edit: (xml) => xml.replace('<Presentations>', `${unknownReferences(references)}<Presentations>`),
  }),
  deflated: true,
});
/** A file that the import does not read. */
const filler = (name: string): EntrySpec => ({ name: `root/${name}` });
const product = (productId = newProductId()): EntrySpec => ({
  name: productPath(productId),
  content: productXml({ productId }),
});

it('references to unknown attachments: 45,000 make a product fail, 900 are a hundred warnings and a count', async () => {
  const good = newProductId();
  const many = Array.from({ length: 3 }, () => referring(45_000));
  const fewer = Array.from({ length: 5 }, newProductId);
  const entries = [...many, ...fewer.map((id) => referring(900, id)), product(good)];
  const { status, body } = await upload(apart, writeZip({ entries }), { email: 'you@company.example' });
  expect(status).toBe(200);
  const { created_submissions, failed } = body.data.zip_import;
  expect(created_submissions.map(({ product_id }) => product_id)).toEqual([...fewer, good]);
  expect(failed).toHaveLength(many.length);
  for (const { error } of failed)
    expect(error).toMatch(/refers to 45001 attachments; at most 1000 are accepted/);
  for (const { warnings } of body.data.submissions.slice(0, fewer.length)) {
    expect(Buffer.byteLength(JSON.stringify(warnings))).toBeLessThan(20_000);
    expect(warnings.at(-1)?.text).toMatch(/^… and \d+ more$/);
  }
  expect((await finished(apart, body.data.id)).notification?.status).toBe('sent');
});

it('files that are not read are listed, then counted', async () => {
  const attachments = Array.from({ length: 50 }, (_, n) => ({ name: `root/export/attachments/${n}.xml` }));
  const misplaced = Array.from({ length: 1_050 }, (_, n) => ({ name: `root/export/lost-${n}.xml` }));
  const entries: EntrySpec[] = [product(), ...attachments, ...misplaced];
  const { body } = await upload(apart, writeZip({ entries }));
  const { warnings } = body.data.zip_import;
  expect(warnings).toHaveLength(1001);
  expect(warnings[0]?.text).toMatch(/^attachment file 0\.xml: /);
  expect(warnings.at(-1)?.text).toBe('… 100 more files were not read; only the first 1000 are listed');
  await finished(apart, body.data.id);
});

it('directories as large as the limit are read one after the other', async () => {
  // Names of 1,000 bytes each, as many as fit. A worker would read two of these packages at once.
  const longNames = Array.from({ length: 8_000 }, (_, n) => filler(`${n}`.padStart(970, 'n')));
  const zips = Array.from({ length: 3 }, () => writeZip({ entries: [product(), ...longNames] }));
  const answers = await Promise.all(zips.map((zip) => upload(apart, zip)));
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.data.submissions).toHaveLength(1);
  }
});
