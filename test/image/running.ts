/**
 * The images at work: `running.ts SERVICE_TAG TRIALS_TAG`, started by run.ts, where the engine allows it in a network of its own
 * that has the loopback address only. Exits with 1 when a check fails.
 */
import { createChecks } from '../support/checks.ts';
import { findEngine, sharesOurNetwork } from '../support/container-engine.ts';
import { runScript, say } from '../support/script.ts';
import { checkConfinement, checkHealth, createContainers } from './containers.ts';
import { checkDrain, checkImport, logIn } from './import-flow.ts';
import { startWorld, untilAnswering } from './world.ts';

async function run(): Promise<number> {
  const engine = await findEngine();
  if (typeof engine === 'string') throw new Error(engine);
  const [service = '', trials = ''] = process.argv.slice(2);
  const checks = createChecks(say);
  const containers = createContainers(engine);
  const world = await startWorld(containers, { service, trials });

  const migration = world.migrate();
  checks.that('migrates the database', (await migration.exited) === 0, migration.output());
  const began = performance.now();
  const { container: gateway, ...served } = await world.startGateway();
  const workers = await world.startWorkers();
  const processes = [{ container: gateway, ...served }, ...Object.values(workers)];
  for (const { healthUrl, container } of processes) await untilAnswering(healthUrl, container);
  const all = processes.map(({ container }) => container);
  say(
    `  gateway and ${all.length - 1} workers are ready after ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );

  for (const container of all) await checkConfinement(container, sharesOurNetwork(engine), checks);
  await checkHealth(engine, containers, gateway, service, checks);
  const client = await logIn(world);
  await checkImport(world, client, checks);
  await checkDrain(world, client, { gateway, workers }, checks);
  say(`\n${checks.passed()} hold, ${checks.failed()} fail`);
  return checks.failed();
}

await runScript(run);
