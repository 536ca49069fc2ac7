/** Examples of uploads, imports and submissions. */
import type { Config } from '../../../../src/config/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { fileStart, uploadHeaders } from '../../../support/multipart.ts';
import { productIdOfThisYear } from '../../../support/product-xml.ts';
import { finished } from '../../../support/upload.ts';
import { IMPORTS, NOBODY, packageForm, productOf, type Recording, SUBMISSIONS, UPLOAD } from './recording.ts';

const FAILED_FILE = 'failed-files/product.xml';

export async function recordUploads({
  stack,
  ask,
}: Recording): Promise<{ imported: number; unreadable: number }> {
  const { behaviour } = stack.simulator.simulation;
  const entries = { ...productOf(1), ...productOf(2), ...productOf(3, { type: '77' }) };
  const fields = { comment: 'Spring range', email: 'person@company.example' };
  behaviour.reject = [
    { product_id: productIdOfThisYear(2), step: 'design', message: 'The design is not described' },
  ];
  const form = await packageForm(entries, fields);
  const headers = { 'Idempotency-Key': 'first' };
  const { body } = await ask('POST', UPLOAD, { form, headers, name: 'import' });
  await finished(stack, body.data.id);
  behaviour.reject = [];
  await ask('POST', UPLOAD, { form: await packageForm(productOf(4)), headers });
  const edit = (xml: string) => xml.replace('A bottle', 'A can');
  const changed = await packageForm({ ...productOf(1, { edit }), ...productOf(4) });
  await ask('POST', `${UPLOAD}?dry_run=true&diff=true`, { form: changed, name: 'dry_run' });
  const unreadable = await ask('POST', UPLOAD, { form: await packageForm({ 'root/readme.txt': '' }) });
  return { imported: body.data.id, unreadable: unreadable.body.data.id };
}

export async function recordRefusedUploads({
  stack,
  tokens,
  ask,
  askRaw,
  withGateway,
}: Recording): Promise<void> {
  const { port } = stack.config.gateway;
  await ask('POST', `${UPLOAD}?diff=true`, { form: await packageForm(productOf(1)) });
  await ask('POST', UPLOAD, { form: await packageForm(productOf(1), {}, 'package.rar') });
  const noFile = new FormData();
  noFile.set('comment', 'nothing');
  await ask('POST', UPLOAD, { form: noFile });
  await askRaw(port, UPLOAD, uploadHeaders(tokens.all, 3 * 1024 ** 3));
  const room = ({ gateway, archive }: Config) => ({
    gateway: { ...gateway, uploadIdleMs: 1000 },
    archive: { ...archive, minFreeBytes: Number.MAX_SAFE_INTEGER },
  });
  await withGateway(room, async (gatewayUrl) => {
    await ask('POST', UPLOAD, { form: await packageForm(productOf(1)), gatewayUrl });
  });
  const impatient = ({ gateway }: Config) => ({ gateway: { ...gateway, uploadIdleMs: 1000 } });
  await withGateway(impatient, async (_url, gatewayPort) => {
    await askRaw(gatewayPort, UPLOAD, uploadHeaders(tokens.all, 1000), fileStart());
  });
}

export async function recordImports({ ask }: Recording, imported: number, unreadable: number): Promise<void> {
  await ask('GET', `${IMPORTS}/${imported}`);
  await ask('GET', `${IMPORTS}/${imported}?view=summary`, { name: 'summary' });
  await ask('GET', `${IMPORTS}/${imported}/outcomes?limit=2`);
  await ask('GET', `${IMPORTS}/${imported}/outcomes?limit=0`);
  await ask('GET', `${IMPORTS}/${NOBODY}/outcomes`);
  await ask('GET', `${IMPORTS}/${NOBODY}`);
  await ask('GET', `${IMPORTS}/none`);
  await ask('GET', `${IMPORTS}?limit=1`);
  await ask('GET', `${IMPORTS}?limit=0`);
  await ask('GET', `${IMPORTS}/${unreadable}/repair-pack`);
  await ask('GET', `${IMPORTS}/${NOBODY}/repair-pack`);
  await ask('GET', `${IMPORTS}/none/repair-pack`);
  for (const id of [unreadable, NOBODY, 'none']) await ask('GET', `${IMPORTS}/${id}/${FAILED_FILE}`);
  await ask('POST', `${UPLOAD}?mends=${NOBODY}`, { form: await packageForm({}, {}, 'product.xml') });
  await ask('GET', `${IMPORTS}/${NOBODY}/package`);
  await ask('GET', `${IMPORTS}/none/package`);
  await ask('GET', `${IMPORTS}/${imported}/package`, { headers: { range: 'bytes=999999999-' } });
  for (const table of ['products.csv', 'products.jsonl', 'files.csv', 'files.jsonl'])
    for (const id of [NOBODY, 'none']) await ask('GET', `${IMPORTS}/${id}/${table}`);
}

export async function recordSubmissions({ stack, ask }: Recording, imported: number): Promise<void> {
  const action = (id: number | string) => `${SUBMISSIONS}/${id}/actions/regulator-insert`;
  await ask('GET', `${SUBMISSIONS}?import_id=${imported}&limit=1`);
  await ask('GET', `${SUBMISSIONS}?limit=0`);
  await ask('GET', `${SUBMISSIONS}/1`);
  for (const id of [NOBODY, 'none']) {
    await ask('GET', `${SUBMISSIONS}/${id}`);
    await ask('GET', `${SUBMISSIONS}/${id}/xml`);
    await ask('POST', action(id));
  }
  await ask('POST', action(1));
  stack.simulator.simulation.behaviour.unavailable = true;
  await ask('POST', action(2));
  await eventually(async () => {
    const [row] = await stack.sql<{ current_step: string | null }>(
      'select current_step from submission where id = 2',
    );
    return row?.current_step;
  });
  await ask('POST', action(2), { name: 'already_queued' });
  stack.simulator.simulation.behaviour.unavailable = false;
}

/** Runs retention with a short period. */
export async function recordRemoved({ stack, ask }: Recording, imported: number): Promise<void> {
  await stack.sql(`update zip_import set archive_removed_at = now() where id = ${imported}`);
  await stack.sql(`update submission set raw_xml = null where zip_import_id = ${imported}`);
  await ask('GET', `${IMPORTS}/${imported}/repair-pack`);
  await ask('GET', `${IMPORTS}/${imported}/package`);
  await ask('GET', `${IMPORTS}/${imported}/${FAILED_FILE}`);
  await ask('POST', `${UPLOAD}?mends=${imported}`, { form: await packageForm({}, {}, 'product.xml') });
  await ask('GET', `${SUBMISSIONS}/1/xml`);
}
