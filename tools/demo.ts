/** `npm run demo`: starts the whole stack, imports one real package, and shows the results. */
import { join } from 'node:path';
import { Command } from 'commander';
import { type ApiClient, createApiClient } from '../cli/client/api-client.ts';
import { followImport } from '../cli/client/follow-import.ts';
import { packageImportsOf } from '../cli/client/package-imports.ts';
import { importSentence, importTable } from '../cli/import-text.ts';
import { createProgress } from '../cli/progress.ts';
import { widthOf } from '../cli/screen.ts';
import { insertProgressOf } from '../cli/summary-text.ts';
import { configOfThisProcess } from '../src/config/index.ts';
import type { ImportReport } from '../src/contract/types.ts';
import { importScreenPath } from '../src/domain/ids.ts';
import { announce } from '../src/processes/shared/program.ts';
import {
  announceAddresses,
  runInForeground,
  type WholeService,
} from '../src/processes/whole-service/whole-service.ts';
import { DEMO_CLIENT } from '../src/trial-parts/identity-service/identity-service.ts';
import { generatePackage } from './package-generator/generate-package.ts';

const FILE_NAME = 'demo-package.zip';
const PRODUCTS = 14;
const RECIPIENT = 'you@company.example';
const POLL_MS = 300;

/** Makes a package, uploads it like any client, follows it, shows results and mail. */
async function runDemoImport(stack: WholeService): Promise<void> {
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

  announceAddresses(stack.addresses);
  // The checkout may be read-only.
  const path = join(configOfThisProcess('whole service').dataDir, FILE_NAME);
  const sizeBytes = await makePackage(path);
  announce(`\nUploading ${FILE_NAME} …`);
  const answer = await packageImportsOf(client).upload({
    path,
    fileName: FILE_NAME,
    sizeBytes,
    comment: 'Imported by npm run demo',
    email: RECIPIENT,
  });
  announce(`${answer.status} ${answer.message}\n`);
  announce(`The page shows the import: ${stack.gatewayUrl}${importScreenPath(answer.data.id)}`);
  const report = await follow(client, answer.data.id);
  announce(`\n${importTable(report, widthOf(process.stdout))}\n${importSentence(report)}`);
  await showMail(stack, report);
  announce('');
  announceAddresses(stack.addresses);
  showCommands(stack, tokenUrl);
}

/** New products each time: the service skips products without changes. */
async function makePackage(path: string): Promise<number> {
  const seed = Math.floor(Date.now() / 1000);
  const generated = generatePackage({
    products: PRODUCTS,
    seed,
    firstNumber: (seed * 20) % 99_000,
    year: new Date().getUTCFullYear(),
    attachmentBytes: 256 * 1024,
    style: 'varied',
    faults: { 'unknown-type': 1, malformed: 1 },
  });
  const { bytes } = await generated.writeTo(path);
  announce(
    `\nWrote ${path}: ${PRODUCTS} products, and two faulty files, one with an unknown product type and one malformed (${Math.ceil(bytes / 1024)} KB).`,
  );
  return bytes;
}

async function follow(client: ApiClient, id: number): Promise<ImportReport> {
  const progress = createProgress(process.stdout);
  try {
    return await followImport(client, id, {
      firstPauseMs: POLL_MS,
      onSummary: (summary) => progress.importing(insertProgressOf(summary)),
    });
  } finally {
    progress.end();
  }
}

async function showMail({ mailbox }: WholeService, { id, notification }: ImportReport): Promise<void> {
  announce(`\nSummary e-mail to ${notification?.email}: ${notification?.status}`);
  if (!mailbox) return;
  const mail = await mailbox.waitFor(
    ({ subject }) => subject.startsWith(`Package import ${id}:`),
    AbortSignal.timeout(30_000),
  );
  announce(`${'─'.repeat(72)}\nSubject: ${mail.subject}\n\n${mail.text.trim()}\n${'─'.repeat(72)}`);
}

function showCommands({ gatewayUrl }: WholeService, tokenUrl: string): void {
  announce(`
Try it yourself:

  TOKEN=$(curl -s ${tokenUrl} -d grant_type=client_credentials \\
    -d client_id=${DEMO_CLIENT.clientId} -d client_secret=${DEMO_CLIENT.clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl ${gatewayUrl}/regulator/package-import -H "Authorization: Bearer $TOKEN" \\
    -F file=@examples/package.zip -F comment=hello -F email=${RECIPIENT}`);
}

const { exit } = new Command('demo')
  .description('Starts the service, imports a package and shows the result.')
  .option('--exit', 'stop after the summary e-mail')
  .parse()
  .opts<{ exit?: boolean }>();

// Logs are limited to warnings, since the demo prints its own progress.
await runInForeground(
  async (service, stopped) => {
    const demo = runDemoImport(service).then(() => 'done');
    const end = await Promise.race([demo, stopped.then(() => 'stopped')]);
    if (exit || end === 'stopped') return;
    announce('\nThe service stays up. Stop it with Ctrl-C.');
    await stopped;
  },
  { LOG_LEVEL: 'warn' },
);
