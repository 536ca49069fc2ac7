/**
 * The overlays of deploy/kubernetes on a cluster, by the commands of deploy/kubernetes.md: `npm run prove -- kubernetes`.
 *
 * Kubernetes' own API server, controllers and scheduler decide. kwok pretends the nodes (control-plane.ts), so no
 * container runs: init containers and probes succeed at once, nothing enforces network policies, and there is no KEDA,
 * no gateway and no store of secrets behind their resources. The first run builds the programs with Go, in some ten
 * minutes.
 *
 * Exits with 1 when a check fails, and with 2 when something is missing, which it says.
 */
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { OVERLAYS } from '../deploy/kubernetes/resources.ts';
import { EXTENSIONS, findDefinitionFile } from '../deploy/kubernetes/schemas.ts';
import { createChecks } from '../support/checks.ts';
import { ROOT } from '../support/page-commands.ts';
import { runScript, say, Unavailable } from '../support/script.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { type Cluster, startCluster } from './control-plane.ts';
import { createOperator } from './operator.ts';
import { kubernetesPrograms } from './programs.ts';
import { checkDrain, checkInstallation, checkRestricted, checkUpgrade } from './trial.ts';

new Command('kubernetes')
  .description(
    'Installs, upgrades and drains the overlays on a cluster whose nodes only pretend to run pods.',
  )
  .allowExcessArguments(false)
  .parse();

async function run(): Promise<number> {
  const programs = await kubernetesPrograms(say);
  const directory = await temporaryDirectory();
  // The commands of the page run here, and write nothing into the checkout.
  await symlink(join(ROOT, 'deploy'), join(directory, 'deploy'));
  await cp(join(ROOT, 'deploy/kubernetes/secret.example.yaml'), join(directory, 'secret.yaml'));

  const cluster = await startCluster(programs, directory);
  await defineExtensions(cluster);
  const checks = createChecks(say);
  const operator = await createOperator(cluster, directory);
  for (const overlay of OVERLAYS) {
    say(`\n${overlay}, installed`);
    await checkInstallation(operator, overlay, checks);
    if (overlay === 'small') await checkRestricted(cluster, checks);
    say(`\n${overlay}, upgraded`);
    await checkUpgrade(operator, overlay, checks);
    if (overlay === 'large') {
      say(`\n${overlay}, while a node is drained`);
      await checkDrain(operator, checks);
    }
    await cluster.kubectl('delete', 'namespace', 'package-import', '--timeout=2m');
  }
  say(`\n${checks.passed()} hold, ${checks.failed()} fail`);
  return checks.failed();
}

async function defineExtensions(cluster: Cluster): Promise<void> {
  for (const kind of EXTENSIONS) {
    const file = await findDefinitionFile(kind);
    if (file.found === null) throw new Unavailable(file.reason);
    await cluster.kubectl('create', '--filename', file.found);
  }
  await cluster.kubectl('wait', 'crd', '--all', '--for=condition=Established', '--timeout=1m');
}

await runScript(run);
