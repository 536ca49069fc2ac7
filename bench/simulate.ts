/**
 * `npm run prove -- simulate --products-per-day 1000000`: computes the required capacity from the newest
 * measured counts. With `--replay`, it sends a day's arrivals, scaled down, to a running service.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { Command, InvalidArgumentError } from 'commander';
import { createApiClient } from '../cli/client/api-client.ts';
import { announce, fail } from '../src/processes/shared/console.ts';
import { DEMO_CLIENT } from '../src/trial-parts/identity-service/identity-service.ts';
import type { Spread } from './figure.ts';
import { readAllResults } from './results.ts';
import { arrivalsOf, productsOfSuchADay } from './simulation/arrivals.ts';
import { replay, sendTo } from './simulation/replay.ts';
import { rowsOf, shortNumber } from './simulation/rows.ts';
import {
  ASSUMPTIONS,
  type Assumptions,
  DEMAND,
  type Demand,
  newestCost,
  scaleOf,
} from './simulation/scale.ts';

const RESULTS = fileURLToPath(new URL('./results', import.meta.url));

interface Options extends Demand, Assumptions {
  replay?: number;
  replayProducts: number;
  gateway: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** The inputs of the computation. Prices are public list prices; assumptions are not measured. */
const NUMBERS: Readonly<Record<keyof (Demand & Assumptions), string>> = {
  productsPerDay: 'products',
  busyHours: 'hours of the day in which they arrive',
  archiveDays: 'days that the archive is kept',
  historyDays: 'days that Temporal keeps the histories of ended runs',
  recordMonths: 'months that records are kept',
  dollarsPerMillionActions: 'assumption: price of actions at a hosted Temporal',
  dollarsPerGigabyteHour: 'assumption: price of retained histories there',
  transitionsPerShardSecond: 'assumption: a cautious rule of thumb',
  regulatorCallMs: "assumption: the regulator's answer to a call",
  dollarsPerDatabaseGigabyteMonth: "assumption: price of the database's disk",
  dollarsPerArchiveGigabyteMonth: 'assumption: price of the bucket',
};
const DEFAULTS: Readonly<Record<string, number>> = { productsPerDay: 1_000_000, ...DEMAND, ...ASSUMPTIONS };

const command = new Command('simulate')
  .description(
    'What a number of products a day asks for, computed from the newest figures of `npm run bench`.',
  )
  .option('--replay <minutes>', "sends a day's arrivals to a running service in so many minutes", positive)
  .option('--replay-products <n>', 'products of that day, all packages together', positive, 500)
  .option('--gateway <url>', 'the running service', 'http://127.0.0.1:8080')
  .option('--token-url <url>', 'its identity service', 'http://127.0.0.1:8081/oauth2/token')
  .option('--client-id <id>', 'its client', DEMO_CLIENT.clientId)
  .option('--client-secret <secret>', 'and its secret', DEMO_CLIENT.clientSecret);
for (const [name, about] of Object.entries(NUMBERS)) {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  command.option(`--${flag} <n>`, about, positive, DEFAULTS[name]);
}
const options = command.parse().opts<Options>();

try {
  const { commit, cost } = newestCost(await readAllResults(RESULTS));
  announce(`From the counts of ${commit}; what says "assumption" is measured nowhere.`);
  announce(table(rowsOf(scaleOf(cost, options, options), options, options)));
  if (options.replay !== undefined) await replayDay(options.replay);
} catch (error) {
  fail(error);
}

async function replayDay(minutes: number): Promise<void> {
  const durationMs = minutes * 60_000;
  const { replayProducts: products, gateway: gatewayUrl, tokenUrl, clientId, clientSecret } = options;
  const arrivals = arrivalsOf(products, durationMs);
  const wholeDay = shortNumber(productsOfSuchADay(products, durationMs));
  announce(
    `Sending ${products} products in ${arrivals.length} packages, a day in ${minutes} minutes: as fast as ${wholeDay} products a day arrive.
Its night comes first: nothing is sent for a quarter of the time.`,
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
        ['packages, of which failed', `${figures.packages}, ${figures.failed}`],
        ['products, of which inserted', `${figures.products}, ${figures.inserted}`],
        ['from the upload to its answer', spreadText(figures.answers)],
        ['from the upload to its last insert, asked every 2 s', spreadText(figures.imports)],
        ['from the last arrival until all had ended', `${shortNumber(figures.backlogSeconds)} s`],
      ]),
    );
    if (figures.failed > 0) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function table(rows: [string, string][]): string {
  const lines = new Table({ style: { head: [], border: [], compact: true } });
  lines.push(...rows);
  return lines.toString();
}

function spreadText(spread: Spread | null): string {
  return spread
    ? `median ${shortNumber(spread.median)} s, ${shortNumber(spread.min)} to ${shortNumber(spread.max)} s`
    : 'none';
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('a number above 0');
  return value;
}
