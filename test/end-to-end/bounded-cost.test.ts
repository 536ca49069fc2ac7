/**
 * The cost of one client's uploads is bounded: packages that once crashed the gateway, or the worker
 * repeatedly. Gateway and worker run as in production, with their small heaps.
 */
import { afterEach, describe, expect, it } from 'vitest';
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
const attachment = (name: string): EntrySpec => ({
  name: `root/export/attachments/${name}.xml`,
  content: '',
});
/** A file that the import does not read. */
const filler = (name: string): EntrySpec => ({ name: `root/${name}` });
const product = (productId = newProductId()): EntrySpec => ({
  name: productPath(productId),
  content: productXml({ productId }),
});

describe('references to unknown attachments', { timeout: 300_000 }, () => {
  it('make a product with 45,000 of them fail', async () => {
    const good = newProductId();
    const entries = [...Array.from({ length: 12 }, () => referring(45_000)), product(good)];
    const { status, body } = await upload(apart, writeZip({ entries }), { email: 'you@company.example' });
    expect(status).toBe(200);
    const { created_submissions, failed } = body.data.zip_import;
    expect(created_submissions.map(({ product_id }) => product_id)).toEqual([good]);
    expect(failed).toHaveLength(12);
    for (const { error } of failed)
      expect(error).toMatch(/refers to 45001 attachments; at most 1000 are accepted/);
    expect((await finished(apart, body.data.id)).notification?.status).toBe('sent');
  });

  it('are warnings for fewer: a hundred, and the count of the others', async () => {
    const entries = Array.from({ length: 30 }, () => referring(900));
    const { body } = await upload(apart, writeZip({ entries }), { email: 'you@company.example' });
    expect(body.data.submissions).toHaveLength(30);
    for (const { warnings } of body.data.submissions) {
      expect(Buffer.byteLength(JSON.stringify(warnings))).toBeLessThan(20_000);
      expect(warnings.at(-1)?.text).toMatch(/^… and \d+ more$/);
    }
    expect((await finished(apart, body.data.id)).notification?.status).toBe('sent');
  });
});

describe('attachments that cannot be read', { timeout: 300_000 }, () => {
  it('make the package fail when there are too many', async () => {
    const entries = [product(), ...Array.from({ length: 70_000 }, (_, n) => attachment(`${n}`))];
    const { status, body } = await upload(apart, writeZip({ entries, zip64: true }));
    expect(status).toBe(500);
    expect(body.message).toBe(
      'Invalid submission ZIP: the archive has 70001 entries; at most 50000 are accepted',
    );
  });

  it('are listed when they are few, then counted', async () => {
    const entries = [product(), ...Array.from({ length: 3000 }, (_, n) => attachment(`${n}`))];
    const { body } = await upload(apart, writeZip({ entries }));
    const { warnings } = body.data.zip_import;
    expect(warnings).toHaveLength(1001);
    expect(warnings[0]?.text).toMatch(/^attachment file 0\.xml: /);
    expect(warnings.at(-1)?.text).toBe('… 2000 more files were not read; only the first 1000 are listed');
    await finished(apart, body.data.id);
  });
});

describe('directories', { timeout: 300_000 }, () => {
  /** Names of 1,000 bytes each, as many as fit. */
  const longNamed = (count: number) =>
    writeZip({
      entries: [product(), ...Array.from({ length: count }, (_, n) => filler(`${n}`.padStart(970, 'n')))],
    });

  it('above the limit are refused, however many come at the same time', async () => {
    const zip = longNamed(20_000);
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(apart, zip)));
    for (const { status, body } of answers) {
      expect(status).toBe(500);
      expect(body.message).toMatch(
        /the archive's central directory has 2\d{7} bytes; at most 8388608 are accepted/,
      );
    }
  });

  it('at the limit are read one after the other', async () => {
    const zips = Array.from({ length: 8 }, () => longNamed(8_000));
    const answers = await Promise.all(zips.map((zip) => upload(apart, zip)));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.data.submissions).toHaveLength(1);
    }
  });
});
