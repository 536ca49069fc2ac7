/** The product file of a submission comes back as it was sent, for as long as it is kept. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { tokenOf } from '../support/tokens.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** A submission of an ended import of its own. */
async function submissionOf(xml: string): Promise<{ id: number; importId: number }> {
  const { id: importId } = (await upload(stack, await zipOf({ [productPath('a')]: xml }))).body.data;
  const { submissions } = await finished(stack, importId);
  return { id: submissions[0]?.id ?? 0, importId };
}

const pathOf = (id: number) => `/regulator/submissions/${id}/xml`;

async function fileOf(id: number) {
  const response = await fetch(stack.gatewayUrl + pathOf(id), {
    headers: { authorization: `Bearer ${await stack.token()}` },
  });
  return { response, text: await response.text() };
}

describe('the product file of a submission', () => {
  it('is what was sent', async () => {
    const xml = productXml({ productId: newProductId(), brand: 'Crème brûlée' });
    const { id } = await submissionOf(xml);
    const { response, text } = await fileOf(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/xml');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.xml"');
    expect(text).toBe(xml);
  });

  it('is nobody’s but its owner’s', async () => {
    const { id } = await submissionOf(productXml({ productId: newProductId() }));
    const foreign = await call(stack, 'GET', pathOf(id), { token: await tokenOf(stack, 'foreign-client') });
    expect(foreign.status).toBe(404);
    expect((await call(stack, 'GET', pathOf(1_000_000))).status).toBe(404);
  });

  it('is gone when retention has removed it', async () => {
    const { id, importId } = await submissionOf(productXml({ productId: newProductId() }));
    await stack.sql(`update submission set raw_xml = null where id = ${id}`);
    const meanwhile = await call(stack, 'GET', pathOf(id));
    expect(meanwhile.status).toBe(410);
    expect(meanwhile.body.message).toBe(
      `The product file of submission ${id} has been removed. Export it again.`,
    );
    await stack.sql(`update zip_import set archive_removed_at = '2026-01-02' where id = ${importId}`);
    const after = await call(stack, 'GET', pathOf(id));
    expect(after.status).toBe(410);
    expect(after.body.message).toContain('was removed on 2026-01-02');
  });
});
