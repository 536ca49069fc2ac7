/**
 * docker-compose.yml, brought up: `npm run prove -- compose`.
 *
 * With the Docker that runs here, where it has Compose and can get the images; else, as root, with a Docker daemon of
 * its own (Debian: apt-get install docker.io), and stand-ins under the images' names for those that no registry gives.
 * These want Go, Maven and debootstrap. Somebody tries the service as deploy/compose.md says, with its commands:
 * passwords, start, login, import, metrics, down and up again, down for good. Wants curl and jq. Five to ten minutes,
 * and 6 GB of disk in between where stand-ins are made. All that stays of its own daemon are the bridge docker0 and
 * Docker's rules of iptables, which Docker never removes.
 *
 * Exits with 1 when a check fails, and with 2 when something is missing, which it says.
 */
import { Command } from 'commander';
import { createChecks } from '../support/checks.ts';
import { runScript, say } from '../support/script.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { checkConfinement, checkObservability } from './checks.ts';
import { prepareStack } from './prepare.ts';
import { checkImport, checkRestart, checkStart, checkTornDown } from './trial.ts';

const { images } = new Command('compose')
  .description(
    'Brings docker-compose.yml up, imports a package by deploy/compose.md, and tears everything down.',
  )
  .option('--images <directory>', "where the images of a daemon of the test's own stay for its next run")
  .allowExcessArguments(false)
  .parse()
  .opts<{ images?: string }>();

async function run(): Promise<number> {
  const directory = await temporaryDirectory();
  const { stack, without } = await prepareStack(directory, images);

  const checks = createChecks(say);
  say('\nbrought up');
  await checkStart(stack, checks);
  await checkConfinement(stack, checks);
  say('\nan import by the page');
  const id = await checkImport(stack, checks);
  say('\nthe profile observability');
  await checkObservability(stack, without, checks);
  say('\ndown and up again');
  await checkRestart(stack, id, checks);
  say('\ntorn down');
  await checkTornDown(stack, checks);
  for (const image of without) say(`  not checked: ${image}, for which there is no stand-in`);
  say(`\n${checks.passed()} hold, ${checks.failed()} fail`);
  return checks.failed();
}

await runScript(run);
