/** `npm run demo`: starts the whole stack, imports one real package, and shows the results. */
import { join } from 'node:path';
import { Command } from 'commander';
import { EXIT, Interrupted } from '../cli/outcome.ts';
import { runCommand } from '../cli/run.ts';
import manifest from '../package.json' with { type: 'json' };
import { configOfThisProcess } from '../src/config/index.ts';
import { announce } from '../src/processes/shared/program.ts';
import {
  announceAddresses,
  runInForeground,
  type WholeService,
} from '../src/processes/whole-service/whole-service.ts';
import { generatePackage } from './package-generator/generate-package.ts';

const PRODUCTS = 14;
const RECIPIENT = 'you@company.example';
const COMMENT = 'Imported by npm run demo';

/** Makes a package, uploads it with the command line, shows results and mail. */
async function runDemoImport(stack: WholeService, signal: AbortSignal): Promise<void> {
  const tokenUrl = process.env.PACKAGE_IMPORT_TOKEN_URL ?? stack.tokenUrl;
  if (tokenUrl === null)
    throw new Error(
      'Set PACKAGE_IMPORT_TOKEN_URL: the demo needs the token endpoint of your identity service.',
    );
  announceAddresses(stack.addresses);
  // The checkout may be read-only.
  const { dataDir } = configOfThisProcess('whole service');
  const path = join(dataDir, 'demo-package.zip');
  await makePackage(path);
  const startedAt = new Date().toISOString();
  const code = await runCommand(
    [
      ...['--gateway', stack.gatewayUrl, '--token-url', tokenUrl],
      ...['upload', path, '--email', RECIPIENT, '--comment', COMMENT, '--wait'],
    ],
    // No profile of the user is there.
    { screen: process, version: manifest.version, signal, configDirectory: dataDir },
  );
  if (code !== EXIT.productsFailed) throw new Error('The import did not end as expected.');
  await showMail(stack, startedAt);
}

/** New products each time: the service skips products without changes. */
async function makePackage(path: string): Promise<void> {
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
  await generated.writeTo(path);
  announce(
    `\nWrote ${path}: ${PRODUCTS} products, and two faulty files, one with an unknown product type and one malformed.\n`,
  );
}

async function showMail({ mailbox }: WholeService, since: string): Promise<void> {
  if (!mailbox) return;
  const mail = await mailbox.waitFor(
    ({ receivedAt, text }) => receivedAt >= since && text.includes(COMMENT),
    AbortSignal.timeout(30_000),
  );
  announce(`\n${'─'.repeat(72)}\nSubject: ${mail.subject}\n\n${mail.text.trim()}\n${'─'.repeat(72)}\n`);
}

const { exit } = new Command('demo')
  .description('Starts the service, imports a package and shows the result.')
  .option('--exit', 'stop after the summary e-mail')
  .parse()
  .opts<{ exit?: boolean }>();

// Logs are limited to warnings, since the demo prints its own progress.
await runInForeground(
  async (service, stopped) => {
    const stop = new AbortController();
    void stopped.then(() => stop.abort(new Interrupted('SIGINT')));
    const demo = runDemoImport(service, stop.signal).then(() => 'done');
    const end = await Promise.race([demo, stopped.then(() => 'stopped')]);
    if (exit || end === 'stopped') return;
    announceAddresses(service.addresses);
    announce('\nThe service stays up. Stop it with Ctrl-C. Commands for curl: docs/client-library.md.');
    await stopped;
  },
  { LOG_LEVEL: 'warn' },
);
