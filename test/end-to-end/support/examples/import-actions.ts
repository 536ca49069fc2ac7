/** Examples of a cancelled import, of a retried import, and of the history of its product. */
import { eventually } from '../../../support/eventually.ts';
import { productIdOfThisYear } from '../../../support/product-xml.ts';
import { FIRST_DAY } from '../../../support/recorded-answers.ts';
import { call, finished, report, upload } from '../../../support/upload.ts';
import { zipOf } from '../../../support/zip.ts';
import { IMPORTS, NOBODY, productOf, type Recording } from './recording.ts';

const cancelPath = (id: number | string) => `${IMPORTS}/${id}/actions/cancel`;
const retryPath = (id: number | string) => `${IMPORTS}/${id}/actions/regulator-insert`;

/** The product of both imports here. */
const PRODUCT = 5;
/** The product that fails over all imports. */
const FAILING = 8;
const PRODUCT_ID = productIdOfThisYear(PRODUCT);

/** Longer than the cancellation takes: the insert does not end before its pending call to the regulator. */
const LATENCY_MS = 3_000;

/** @param imported an import that has ended */
export async function recordCancellation({ stack, ask }: Recording, imported: number): Promise<void> {
  const { behaviour } = stack.simulator.simulation;
  // The insert reaches no further step after that call.
  behaviour.unavailable = true;
  behaviour.latency_ms = LATENCY_MS;
  const { id } = (await upload(stack, await zipOf(productOf(PRODUCT)))).body.data;
  await eventually(async () => {
    const [row] = await stack.sql<{ current_step: string | null }>(
      `select current_step from submission where zip_import_id = ${id}`,
    );
    return row?.current_step;
  });
  await ask('POST', cancelPath(id));
  behaviour.latency_ms = 0;
  await finished(stack, id);
  behaviour.unavailable = false;
  await ask('POST', cancelPath(id), { name: 'already_cancelled' });
  for (const other of [imported, NOBODY, 'none']) await ask('POST', cancelPath(other));
}

/** @param unreadable an import without anything to retry */
export async function recordRetry({ stack, ask }: Recording, unreadable: number): Promise<void> {
  const { behaviour } = stack.simulator.simulation;
  for (const id of [NOBODY, 'none']) {
    await ask('POST', retryPath(id));
    await ask('GET', retryPath(id));
  }
  await ask('POST', retryPath(unreadable));
  behaviour.reject = [{ product_id: PRODUCT_ID, step: 'design', message: 'The design is not described' }];
  const edit = (xml: string) => xml.replace('A bottle', 'A can');
  const { id } = (await upload(stack, await zipOf(productOf(PRODUCT, { edit })))).body.data;
  await finished(stack, id);
  behaviour.reject = [];
  behaviour.unavailable = true;
  await call(stack, 'POST', retryPath(id));
  await eventually(async () => {
    const { data } = (await call<{ ended_at: string | null }>(stack, 'GET', retryPath(id))).body;
    return data.ended_at;
  });
  // Its insert is under way: a repeated request gets the same answer, by now with its end.
  await ask('POST', retryPath(id));
  await ask('GET', retryPath(id));
  behaviour.unavailable = false;
  await eventually(async () => (await report(stack, id)).progress.regulator_inserted === 1);
  await ask('POST', retryPath(id), { name: 'nothing_to_run' });
}

/** Failed products over all imports, and a run that retries them. */
export async function recordFailures({ stack, ask }: Recording): Promise<void> {
  const path = '/regulator/failures';
  const retry = `${path}/actions/regulator-insert`;
  const { behaviour } = stack.simulator.simulation;
  const product_id = productIdOfThisYear(FAILING);
  behaviour.reject = [{ product_id, step: 'design', message: 'The design is not described' }];
  const { id } = (await upload(stack, await zipOf(productOf(FAILING)))).body.data;
  await finished(stack, id);
  behaviour.reject = [];
  await ask('GET', `${path}?group=regulator_rejected:`);
  await ask('GET', `${path}?group=design`);
  await ask('POST', `${path}/actions/none`);
  await ask('POST', `${retry}?group=regulator_rejected:&dry_run=true`);
  await ask('POST', `${retry}?group=regulator_rejected:`);
  await ask('POST', retry);
  await eventually(async () => {
    const { run } = (await call<{ run: { ended_at: string | null } }>(stack, 'GET', `${path}/run`)).body.data;
    return run.ended_at !== null && (await report(stack, id)).progress.regulator_inserted === 1;
  });
  await ask('GET', `${path}/run`);
  await ask('POST', `${path}/run/actions/stop`);
}

/** After both imports: the product was submitted twice, with different content. */
export async function recordProduct({ ask }: Recording): Promise<void> {
  for (const product of [PRODUCT_ID, '99962-26-99999', 'none'])
    await ask('GET', `/regulator/products/${product}`);
  for (const product of ['99962-26-99999', 'none'])
    await ask('GET', `/regulator/products/${product}/dossier`);
  await ask('GET', '/regulator/dossier-key', { token: null });
}

/** Recorded when no run is under way. */
export async function recordStatistics({ stack, ask }: Recording): Promise<void> {
  await eventually(async () => {
    const open = await stack.sql(`select id from submission where status = 'regulator_inserting'`);
    return open.length === 0;
  });
  // The recording may have run past midnight.
  await stack.sql(`update zip_import set uploaded_at = '${FIRST_DAY} 00:00Z'`);
  await stack.database.statistics.countDay(FIRST_DAY);
  await ask('GET', `/regulator/statistics?from=${FIRST_DAY}&to=${FIRST_DAY}`);
  await ask('GET', '/regulator/statistics?limit=0');
  await ask('GET', '/regulator/statistics/stored');
  await ask('GET', `/regulator/statistics/stored?client_id=${'x'.repeat(501)}`);
}
