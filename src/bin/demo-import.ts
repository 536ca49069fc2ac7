/** The demo's import: makes a package, uploads it like any client, follows it, shows results and mail. */
import { openAsBlob } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import cliProgress from 'cli-progress';
import { createApiClient } from '../client/api-client.ts';
import type { ImportReportJson, ImportResultJson } from '../gateway/schemas/package-import.ts';
import { DEMO_CLIENT } from '../local/identity-service/identity-service.ts';
import { generatePackage } from '../local/package-generator/index.ts';
import { announce } from './console.ts';
import type { Stack } from './stack.ts';

const PACKAGE = 'examples/demo-package.zip';
const PRODUCTS = 14;
const RECIPIENT = 'you@company.example';
const POLL_MS = 300;

export async function runDemoImport(stack: Stack): Promise<void> {
  const tokenUrl = process.env.PACKAGE_IMPORT_TOKEN_URL ?? stack.tokenUrl;
  if (tokenUrl === null)
    throw new Error(
      'Set PACKAGE_IMPORT_TOKEN_URL: the demo needs the token endpoint of your identity service.',
    );
  const client = createApiClient({
    gatewayUrl: stack.gatewayUrl,
    tokenUrl,
    clientId: process.env.PACKAGE_IMPORT_CLIENT_ID ?? DEMO_CLIENT.clientId,
    clientSecret: process.env.PACKAGE_IMPORT_CLIENT_SECRET ?? DEMO_CLIENT.clientSecret,
  });

  await makePackage();
  announce(`\nUploading ${PACKAGE} …`);
  const form = new FormData();
  form.set('file', await openAsBlob(PACKAGE), basename(PACKAGE));
  form.set('comment', 'Imported by npm run demo');
  form.set('email', RECIPIENT);
  const answer = await client.call('POST', '/regulator/package-import', { body: form });
  const result = answer.data as ImportResultJson;
  announce(`${answer.status} ${answer.message}\n`);

  const report = await follow(result.queue.queued_count, async () => {
    const { data } = await client.call('GET', `/regulator/package-imports/${result.id}`);
    return data as ImportReportJson;
  });
  showProducts(report);
  await showMail(stack, report);
  showAddresses(stack, tokenUrl);
}

/** New products each time: what was inserted before would be skipped as unchanged. */
async function makePackage(): Promise<void> {
  await mkdir(dirname(PACKAGE), { recursive: true });
  const seed = Math.floor(Date.now() / 1000);
  const generated = generatePackage({
    products: PRODUCTS,
    seed,
    firstNumber: (seed * 20) % 99_000,
    attachmentBytes: 256 * 1024,
    style: 'varied',
    faults: { 'unknown-type': 1, malformed: 1 },
  });
  const { bytes } = await generated.writeTo(PACKAGE);
  announce(
    `\nMade ${PACKAGE}: ${PRODUCTS} products, one of an unknown type, one malformed (${Math.ceil(bytes / 1024)} KB).`,
  );
}

/** Shows a bar on a terminal, plain lines otherwise, until the import is over. */
async function follow(total: number, ask: () => Promise<ImportReportJson>): Promise<ImportReportJson> {
  const bar = process.stdout.isTTY
    ? new cliProgress.SingleBar(
        { format: 'Inserting {bar} {value}/{total}  {failed} failed', hideCursor: true },
        cliProgress.Presets.shades_classic,
      )
    : null;
  bar?.start(total, 0, { failed: 0 });
  let shown = '';
  for (;;) {
    const report = await ask();
    const of = (status: string) =>
      report.submissions.filter((submission) => submission.status === status).length;
    const [inserted, failed] = [of('regulator_inserted'), of('regulator_insert_failed')];
    const line = `${inserted} of ${total} inserted, ${failed} failed`;
    if (bar) bar.update(inserted + failed, { failed });
    else if (line !== shown) announce(line);
    shown = line;
    if (report.completed_at !== null) {
      bar?.stop();
      return report;
    }
    await sleep(POLL_MS);
  }
}

function showProducts({ submissions, zip_import }: ImportReportJson): void {
  announce('\nProducts');
  for (const { product_id, status, case_id, failure_reason, regulator_data } of submissions) {
    announce(
      `  ${product_id}  ${status.padEnd(23)} ${case_id ?? failure_reason ?? ''}  ${regulator_data.product_type.slice(0, 60)}`,
    );
  }
  if (zip_import.failed.length > 0) announce('\nFiles that failed');
  for (const { xml_file, error } of zip_import.failed) announce(`  ${xml_file}: ${error}`);
}

async function showMail({ mailbox }: Stack, { id, notification }: ImportReportJson): Promise<void> {
  announce(`\nSummary e-mail to ${notification?.email}: ${notification?.status}`);
  if (!mailbox) return;
  const mail = await mailbox.waitFor(
    ({ subject }) => subject.startsWith(`Package import ${id}:`),
    AbortSignal.timeout(30_000),
  );
  announce(`${'─'.repeat(72)}\nSubject: ${mail.subject}\n\n${mail.text.trim()}\n${'─'.repeat(72)}`);
}

function showAddresses({ addresses, gatewayUrl }: Stack, tokenUrl: string): void {
  announce('');
  for (const { title, url } of addresses) announce(`  ${title.padEnd(20)} ${url}`);
  announce(`
Try it yourself:

  TOKEN=$(curl -s ${tokenUrl} -d grant_type=client_credentials \\
    -d client_id=${DEMO_CLIENT.clientId} -d client_secret=${DEMO_CLIENT.clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl ${gatewayUrl}/regulator/package-import -H "Authorization: Bearer $TOKEN" \\
    -F file=@examples/package.zip -F comment=hello -F email=${RECIPIENT}`);
}
