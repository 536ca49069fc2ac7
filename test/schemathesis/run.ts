/**
 * Schemathesis (PyPI) against a live service: `npm run prove -- schemathesis`, or `node test/schemathesis/run.ts`.
 *
 * Makes requests from the description at /api/doc.json, valid and invalid ones, single and in chains, and holds
 * every answer against that description: statuses, bodies, refusals, authentication. Needs Python 3.10 or newer
 * with pip, which fetches Schemathesis once into the cache; says so and ends with 0 where Python is missing. The
 * whole service runs on free ports with its data in a temporary directory. Takes about five minutes, which is
 * why it is no part of `npm test`. Further arguments go to `schemathesis run`, e.g. `--seed 7`.
 *
 * Exits with 1 when Schemathesis finds a failure.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiClient } from '../../cli/client/api-client.ts';
import { followImport } from '../../cli/client/follow-import.ts';
import { packageImportsOf } from '../../cli/client/package-imports.ts';
import { loadConfig } from '../../src/config/index.ts';
import { WEBHOOK_URL_LENGTH } from '../../src/contract/limits.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { installPythonTool, runTool } from '../support/python-tool.ts';
import { runScript, say } from '../support/script.ts';
import { npmStart } from '../support/starters/stack.ts';

const SCHEMATHESIS = { name: 'schemathesis', version: '4.32.5' };

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** These end the session without which no upload is taken: they get a turn of their own, behind the others. */
const SESSION_ENDS = ['postRegulatorSession', 'deleteRegulatorSession'];
const TURNS = [
  SESSION_ENDS.flatMap((id) => ['--exclude-operation-id', id]),
  ['--include-tag', 'Regulator session'],
];

async function run(): Promise<number> {
  const commands = await installPythonTool(SCHEMATHESIS, loadConfig().cacheDir, say);
  if (commands === null) {
    say('skipped: Schemathesis needs Python 3.10 or newer with venv and pip');
    return 0;
  }
  // Each archive that cannot be read is an error in the log; there will be hundreds.
  const { gatewayUrl, tokenUrl, directory } = await npmStart({ LOG_LEVEL: 'fatal' });
  const client = createApiClient({ gatewayUrl, tokenUrl, ...DEMO_CLIENT });
  const path = join(directory, 'package.zip');
  await importSomething(client, path);
  let worst = 0;
  for (const turn of TURNS) {
    const args = [
      ...['--config-file', beside('schemathesis.toml'), 'run', `${gatewayUrl}/api/doc.json`],
      ...['--header', `Authorization: Bearer ${await client.accessToken()}`],
      ...turn,
      ...process.argv.slice(2),
    ];
    const env = {
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: beside('.'),
      PYTHONDONTWRITEBYTECODE: '1',
      EXAMPLE_PACKAGE: path,
      WEBHOOK_URL_LENGTH: String(WEBHOOK_URL_LENGTH),
    };
    worst = Math.max(worst, await runTool(join(commands, SCHEMATHESIS.name), args, { cwd: directory, env }));
  }
  return worst;
}

/** Imports a package, so that there is data to read, repair and retry. */
async function importSomething(client: ReturnType<typeof createApiClient>, path: string): Promise<void> {
  const faults = { 'unknown-type': 1 };
  const { bytes } = await generatePackage({ products: 2, seed: 1, attachmentBytes: 0, faults }).writeTo(path);
  const upload = { path, fileName: 'package.zip', sizeBytes: bytes };
  const { data } = await packageImportsOf(client).upload(upload);
  await followImport(client, data.id);
}

await runScript(run);
