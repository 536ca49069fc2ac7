/** A repair pack contains the failed files, ready to be corrected and uploaded again. */
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, download, finished, upload } from '../support/upload.ts';
import { unzip, zipOf } from '../support/zip.ts';

const stack = await startStack();
const { imports } = stack;

async function repairPack(importId: number) {
  const response = await download(stack, `/regulator/package-imports/${importId}/repair-pack`);
  return { response, zip: Buffer.from(await response.arrayBuffer()) };
}

/** The files of the pack as texts, in archive order. */
async function textsIn(zip: Buffer): Promise<Map<string, string>> {
  const files = await unzip(zip);
  return new Map(Array.from(files, ([name, bytes]) => [name, bytes.toString()]));
}

describe('a repair pack', () => {
  it('has the failed files with their reasons, and can be imported after corrections', async () => {
    const [good, refused, badType] = [newProductId(), newProductId(), newProductId()];
    imports.reject(refused);
    const xml = {
      good: productXml({ productId: good }),
      malformed: '<EcigProductSubmission><open>',
      refused: productXml({ productId: refused }),
      badType: productXml({ productId: badType, type: '77' }),
    };
    const zip = await zipOf(
      Object.fromEntries(Object.entries(xml).map(([name, content]) => [productPath(name), content])),
    );
    const { id } = (await upload(stack, zip)).body.data;
    const { submissions } = await finished(stack, id);
    imports.restoreRegulator();

    const { response, zip: pack } = await repairPack(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="repair-pack-${id}.zip"`);
    const files = await textsIn(pack);
    const root = productPath('x').split('/', 1)[0];
    expect([...files.keys()]).toEqual([
      `${root}/reasons.csv`,
      ...['malformed', 'refused', 'badType'].map((name) => productPath(name)),
    ]);
    for (const name of ['malformed', 'refused', 'badType'] as const)
      expect(files.get(productPath(name))).toBe(xml[name]);

    const reasons = parse(files.get(`${root}/reasons.csv`) ?? '', { bom: true, columns: true });
    const refusedId = submissions.find(({ product_id }) => product_id === refused)?.id;
    expect(reasons).toMatchObject([
      { xml_file: 'malformed.xml', product_id: '', submission_id: '', outcome: 'failed' },
      {
        xml_file: 'refused.xml',
        product_id: refused,
        submission_id: `${refusedId}`,
        outcome: 'regulator_insert_failed',
        reason: expect.stringContaining('Rejected on request'),
      },
      {
        xml_file: 'badType.xml',
        product_id: badType,
        outcome: 'failed',
        reason: expect.stringContaining('77'),
      },
    ]);

    files.set(productPath('malformed'), productXml());
    files.set(productPath('badType'), productXml({ productId: badType }));
    files.set(productPath('refused'), productXml({ productId: refused, brand: 'Mended' }));
    const mended = await upload(stack, await zipOf(Object.fromEntries(files)));
    expect(mended.body.message).toBe('Package ZIP imported and queued successfully.');
    const after = await finished(stack, mended.body.data.id);
    expect(after.submissions.map(({ status }) => status)).toEqual(Array(3).fill('regulator_inserted'));

    const left = await textsIn((await repairPack(id)).zip);
    expect([...left.keys()]).not.toContain(productPath('refused'));
  });

  it('has products that were not queued', async () => {
    imports.takeRegulatorAway();
    const productId = newProductId();
    const first = await imports.importOne({ productId });
    const second = await imports.importOne({ productId, brand: 'Newer' });
    const files = await textsIn((await repairPack(second.importId)).zip);
    const csv = [...files.values()].find((content) => content.includes('xml_file')) ?? '';
    expect(parse(csv, { bom: true, columns: true })).toMatchObject([
      { product_id: productId, outcome: 'local', reason: expect.stringMatching(/already queued or running/) },
    ]);
    imports.restoreRegulator();
    await finished(stack, first.importId);
  });

  it('is missing when nothing failed', async () => {
    const { importId } = await imports.importOne();
    await finished(stack, importId);
    const answer = await call(stack, 'GET', `/regulator/package-imports/${importId}/repair-pack`);
    expect(answer.status).toBe(404);
    expect(answer.body.message).toBe(`No product of package import ${importId} has failed.`);
  });

  it('is refused for an unreadable package, with the reason', async () => {
    await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
    const { data } = (
      await call<{ imports: { id: number }[] }>(stack, 'GET', '/regulator/package-imports?status=failed')
    ).body;
    const answer = await call(stack, 'GET', `/regulator/package-imports/${data.imports[0]?.id}/repair-pack`);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain('found multiple: a, b');
  });
});
