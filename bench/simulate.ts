/**
 * `npm run prove -- simulate --products-per-day 100000`: sends packages to a running service at the rate of the busy hours of
 * such a day.
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
import { arrivalsOf, replay, sendTo } from './replay.ts';

interface Options {
  productsPerDay: number;
  busyHours: number;
  minutes: number;
  gateway: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

const options = new Command('simulate')
  .description('Sends packages to a running service at the rate of the busy hours of a day.')
  .requiredOption('--products-per-day <n>', 'number of products per day', positive)
  .option('--busy-hours <n>', 'hours per day in which products arrive', positive, 10)
  .option('--minutes <n>', 'duration', positive, 60)
  .option('--gateway <url>', 'URL of the running service', 'http://127.0.0.1:8080')
  .option('--token-url <url>', 'token endpoint of its identity service', 'http://127.0.0.1:8081/oauth2/token')
  .option('--client-id <id>', 'client ID', DEMO_CLIENT.clientId)
  .option('--client-secret <secret>', 'client secret', DEMO_CLIENT.clientSecret)
  .parse()
  .opts<Options>();

await simulate(options).catch(fail);

async function simulate(options: Options): Promise<void> {
  const { productsPerDay, busyHours, minutes, gateway, ...credentials } = options;
  const products = Math.ceil((productsPerDay * minutes) / (busyHours * 60));
  const arrivals = arrivalsOf(products, minutes * 60_000);
  announce(`Sending ${products} products in ${arrivals.length} packages within ${minutes} minutes.`);
  const client = createApiClient({ gatewayUrl: gateway, ...credentials });
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
        ['time from the last upload to the end of the last import', seconds(figures.backlogSeconds)],
      ]),
    );
    if (figures.failed > 0) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function spreadText(spread: Spread | null): string {
  return spread
    ? `median ${seconds(spread.median)}, ${seconds(spread.min)} to ${seconds(spread.max)}`
    : 'none';
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}
