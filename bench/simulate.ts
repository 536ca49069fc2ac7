/**
 * `npm run prove -- simulate --products-per-day 1000000`: computes the required capacity from the cost of a
 * product. With `--replay`, it sends packages to a running service at the rate of the busy hours.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { createApiClient } from '../cli/client/api-client.ts';
import { announce, fail } from '../src/processes/shared/program.ts';
import { DEMO_CLIENT } from '../src/trial-parts/identity-service/identity-service.ts';
import { table } from '../test/support/proof.ts';
import type { Spread } from './figure.ts';
import { arrivalsOf, replay, sendTo } from './simulation/replay.ts';
import { INPUTS, type Inputs, rowsOf, shortNumber } from './simulation/scale.ts';

interface Options extends Inputs {
  replay?: number;
  gateway: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

const command = new Command('simulate')
  .description(
    'Computes the resources for a number of products per day. `npm run bench -- cost` measures a product.',
  )
  .option(
    '--replay <minutes>',
    'send packages to a running service for this number of minutes, at the rate of the busy hours',
    positive,
  )
  .option('--gateway <url>', 'URL of the running service', 'http://127.0.0.1:8080')
  .option('--token-url <url>', 'token endpoint of its identity service', 'http://127.0.0.1:8081/oauth2/token')
  .option('--client-id <id>', 'client ID', DEMO_CLIENT.clientId)
  .option('--client-secret <secret>', 'client secret', DEMO_CLIENT.clientSecret);
for (const [name, [usual, about]] of Object.entries(INPUTS)) {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  command.option(`--${flag} <n>`, about, positive, usual);
}
const options = command.parse().opts<Options>();

try {
  announce('Rows with "assumption" contain values that are not measured.');
  announce(table(rowsOf(options)));
  if (options.replay !== undefined) await replayDay(options.replay);
} catch (error) {
  fail(error);
}

async function replayDay(minutes: number): Promise<void> {
  const durationMs = minutes * 60_000;
  const { productsPerDay, busyHours, gateway: gatewayUrl, tokenUrl, clientId, clientSecret } = options;
  const products = Math.ceil((productsPerDay * minutes) / (busyHours * 60));
  const arrivals = arrivalsOf(products, durationMs);
  announce(
    `Sending ${shortNumber(products)} products in ${arrivals.length} packages within ${minutes} minutes.`,
  );
  const client = createApiClient({ gatewayUrl, tokenUrl, clientId, clientSecret });
  // Fails early: a replay may take a night.
  await client.accessToken();
  const directory = await mkdtemp(join(tmpdir(), 'package-import-replay-'));
  try {
    const send = sendTo(client, { directory, seed: Math.floor(Date.now() / 1000) });
    const figures = await replay(arrivals, send, announce);
    announce(
      table([
        ['packages, failed packages', `${figures.packages}, ${figures.failed}`],
        ['products, inserted products', `${figures.products}, ${figures.inserted}`],
        ['time from the upload to its answer', spreadText(figures.answers)],
        ['time from the upload to its last insert, polled every 0.5 to 5 s', spreadText(figures.imports)],
        [
          'time from the last upload to the end of the last import',
          `${shortNumber(figures.backlogSeconds)} s`,
        ],
      ]),
    );
    if (figures.failed > 0) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function spreadText(spread: Spread | null): string {
  return spread
    ? `median ${shortNumber(spread.median)} s, ${shortNumber(spread.min)} to ${shortNumber(spread.max)} s`
    : 'none';
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}
