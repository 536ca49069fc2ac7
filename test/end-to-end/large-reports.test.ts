/**
 * No answer and no activity holds a whole import with its notes (decision §reports-are-streamed). The import
 * has 10,000 products, and the gateway runs as in production, with its small heap.
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { ImportReport, ImportResult } from '../../src/contract/types.ts';
import { NOTE_BYTES_OF_A_PACKAGE, UNREADABLE_FILES_LISTED } from '../../src/domain/notes.ts';
import { NODE_OPTIONS } from '../../src/processes/shared/program.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { eventually } from '../support/eventually.ts';
import { makeLargeImport, PRODUCTS } from '../support/large-import.ts';
import { watchMemory } from '../support/memory.ts';
import { startStack } from '../support/starters/stack.ts';
import { call } from '../support/upload.ts';

/** Limit above the idle state, for a process that sends four such answers at the same time, two of them reports. */
const ANSWERING_MIB = 150;
const MAILING_MIB = 100;

const KEY = 'the-key-of-the-upload';
const FILE = 'what was sent';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let ended: unknown = 'not';
const stack = await startStack({ withoutWorkers: true });
const importId = await makeLargeImport(stack.sql);
await stack.sql(
  `insert into idempotency_key (tenant, key, fingerprint, zip_import_id, created_at)
   values ('${DEMO_CLIENT.clientId}', '${KEY}', '${sha256(JSON.stringify([sha256(FILE), null, null]))}', ${importId}, now())`,
);
const gateway = await stack.startProcess('gateway');
void gateway.exited.then((how) => {
  ended = how;
});
const atIdle = await watchMemory([gateway.pid]);
await atIdle.stop();
/** Memory of the gateway in bytes, before its first answer. */
const [idle] = atIdle.idle;
afterEach(() => expect(ended).toBe('not'));

const apart = () => ({ ...stack, gatewayUrl: gateway.url });

async function ask(path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${await stack.token()}` };
  return fetch(`${gateway.url}/regulator/package-imports${path}`, { headers });
}

/** Repeats the upload of the import, with its key. */
async function uploadAgain(): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob([FILE]), 'a.zip');
  return fetch(`${gateway.url}/regulator/package-import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await stack.token()}`, 'idempotency-key': KEY },
    body: form,
  });
}

/** Reads an answer and keeps only its length and its last bytes. */
async function taken(response: Response): Promise<{ bytes: number; end: string }> {
  let bytes = 0;
  let end = '';
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    end = (end + Buffer.from(chunk).toString('latin1')).slice(-2);
  }
  return { bytes, end };
}

async function linesOf(response: Response): Promise<number> {
  let lines = 0;
  for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === 0x0a) lines += 1;
  return lines;
}

/**
 * Memory growth of the process above its idle state during the work, in MiB.
 * @param idle bytes; by default the current memory
 */
async function growthOf(pid: number, work: () => Promise<unknown>, idle?: number): Promise<number> {
  const watch = await watchMemory([pid]);
  await work();
  await watch.stop();
  return Math.round(watch.growthMib(idle));
}

describe('a report of 10,000 products with all their notes', { timeout: 300_000 }, () => {
  it('is complete, and follows the description', async () => {
    const { status, headers, body } = await call<ImportReport>(
      apart(),
      'GET',
      `/regulator/package-imports/${importId}`,
    );
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { submissions, queue, zip_import, progress } = body.data;
    const products = Array.from({ length: PRODUCTS }, (_, n) => `12345-26-${String(n + 1).padStart(5, '0')}`);
    expect(submissions.map(({ product_id }) => product_id)).toEqual(products);
    expect(zip_import.created_submissions.map(({ product_id }) => product_id)).toEqual(products);
    expect(queue.results.map((result) => result.submission_id)).toEqual(submissions.map(({ id }) => id));
    expect(queue.queued_count).toBe(PRODUCTS);
    expect(progress.regulator_inserted).toBe(PRODUCTS);
    expect(zip_import.warnings).toHaveLength(UNREADABLE_FILES_LISTED);
    const notes = submissions.reduce((sum, { warnings }) => sum + (warnings[0]?.text.length ?? 0), 0);
    expect(notes).toBeGreaterThan(0.95 * NOTE_BYTES_OF_A_PACKAGE);
  });

  it('is complete in the answer to its upload, at any time', async () => {
    const answer = await uploadAgain();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    const { message, data } = (await answer.json()) as { message: string; data: ImportResult };
    expect(message).toBe('Package ZIP imported and queued successfully.');
    expect(data.notification).toEqual({ email: 'you@company.example', status: 'pending' });
    expect(data.submissions).toHaveLength(PRODUCTS);
    expect(data.zip_import.created_submissions).toHaveLength(PRODUCTS);
    expect(new Set(data.submissions.map(({ status }) => status))).toEqual(new Set(['regulator_inserting']));
    expect(data.queue).toMatchObject({ queued_count: PRODUCTS, failed_count: 0 });
    expect(data.queue.results).toHaveLength(PRODUCTS);
    expect(data.zip_import.warnings).toHaveLength(UNREADABLE_FILES_LISTED);
  });

  it(`takes less than ${ANSWERING_MIB} MiB to answer, four at a time, poll, list and summary beside them`, async () => {
    const growth = await growthOf(
      gateway.pid,
      async () => {
        const report = () => ask(`/${importId}`);
        const asked = [report, uploadAgain, report, uploadAgain];
        const answers = await Promise.all(asked.map(async (answer) => taken(await answer())));
        for (const { bytes, end } of answers) {
          expect(bytes).toBeGreaterThan(NOTE_BYTES_OF_A_PACKAGE);
          expect(end).toBe('}}');
        }
        for (const path of [`/${importId}?view=summary`, '?limit=200', `/${importId}?view=summary`])
          expect((await ask(path)).status).toBe(200);
      },
      idle,
    );
    process.stdout.write(`four reports of ${PRODUCTS} products: ${growth} MiB\n`);
    expect(growth).toBeLessThan(ANSWERING_MIB);
  });

  it(`takes less than ${ANSWERING_MIB} MiB as tables, four at a time`, async () => {
    const lines: number[] = [];
    const growth = await growthOf(
      gateway.pid,
      async () => {
        const tables = ['products.csv', 'products.jsonl', 'products.csv', 'files.jsonl'];
        lines.push(
          ...(await Promise.all(tables.map(async (table) => linesOf(await ask(`/${importId}/${table}`))))),
        );
      },
      idle,
    );
    expect(lines).toEqual([PRODUCTS + 1, PRODUCTS, PRODUCTS + 1, UNREADABLE_FILES_LISTED]);
    process.stdout.write(`four tables of ${PRODUCTS} products: ${growth} MiB\n`);
    expect(growth).toBeLessThan(ANSWERING_MIB);
  });

  it('is answered with the longest comment', async () => {
    const commented = await makeLargeImport(stack.sql, { commentLength: 10_000, warned: false });
    const growth = await growthOf(
      gateway.pid,
      async () => {
        const { bytes, end } = await taken(await ask(`/${commented}`));
        expect(bytes).toBeGreaterThan(3 * PRODUCTS * 10_000);
        expect(end).toBe('}}');
      },
      idle,
    );
    process.stdout.write(`${PRODUCTS} products with a comment of 10,000 characters: ${growth} MiB\n`);
    expect(growth).toBeLessThan(ANSWERING_MIB);
  });
});

it(`its summary takes less than ${MAILING_MIB} MiB to send`, { timeout: 120_000 }, async () => {
  const program = fileURLToPath(new URL('./support/send-summary.ts', import.meta.url));
  const { database, mail } = stack.config;
  const child = fork(program, [String(importId)], {
    execArgv: [...NODE_OPTIONS],
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, SMTP_URL: `smtp://127.0.0.1:${mail.port}` },
  });
  const said = (what: string) =>
    new Promise<void>((resolve, reject) => {
      child.once('message', (message) => (message === what ? resolve() : reject(new Error(`${message}`))));
      child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}`)));
    });
  await said('ready');
  const growth = await growthOf(child.pid ?? 0, async () => {
    const sent = said('sent');
    child.send('go');
    await sent;
  });
  child.kill();
  process.stdout.write(`the summary of ${PRODUCTS} products: ${growth} MiB\n`);
  const [mailed] = await eventually(async () => {
    const mails = await stack.mailbox.store.list();
    return mails.length > 0 && mails;
  });
  expect(mailed?.subject).toBe(
    `Package import ${importId}: ${PRODUCTS} inserted, 0 failed, 0 files refused, 0 files skipped`,
  );
  expect(growth).toBeLessThan(MAILING_MIB);
});
