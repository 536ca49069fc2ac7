/**
 * A client in another language, made of the API's description by openapi-python-client (PyPI), imports a package:
 * `npm run prove -- python-client`.
 *
 * Needs Python 3.10 or newer with pip, which fetches the generator once into the cache; says so and ends with 0
 * where Python is missing. The whole service runs on free ports with its data in a temporary directory. Takes about a
 * minute.
 *
 * Exits with 1 when the client cannot be made, or does not do what it should.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackageImportClient } from '../../cli/client/index.ts';
import manifest from '../../package.json' with { type: 'json' };
import { loadConfig } from '../../src/config/index.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { apiDescription } from '../../tools/api-description.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { installPythonTool, runTool } from '../support/python-tool.ts';
import { runScript, say } from '../support/script.ts';
import { npmStart } from '../support/starters/stack.ts';

const GENERATOR = { name: 'openapi-python-client', version: '0.29.1' };
const SCRIPT = fileURLToPath(new URL('import_package.py', import.meta.url));

async function run(): Promise<number> {
  const commands = await installPythonTool(GENERATOR, loadConfig().cacheDir, say);
  if (commands === null) {
    say('skipped: openapi-python-client needs Python 3.10 or newer with venv and pip');
    return 0;
  }
  const { directory, gatewayUrl, tokenUrl } = await npmStart({ LOG_LEVEL: 'warn' });
  const description = join(directory, 'openapi.json');
  await writeFile(description, JSON.stringify(apiDescription(manifest.version)));
  const generated = join(directory, 'python-client');
  const generate = ['generate', '--path', description, '--output-path', generated, '--meta', 'setup'];
  const inDirectory = { cwd: directory, env: {} };
  if ((await runTool(join(commands, GENERATOR.name), generate, inDirectory)) !== 0) return 1;

  const path = join(directory, 'package.zip');
  await generatePackage({ products: 3, seed: 1, attachmentBytes: 0 }).writeTo(path);
  const { clientId, clientSecret } = DEMO_CLIENT;
  const client = createPackageImportClient({ gatewayUrl, tokenUrl, clientId, clientSecret });
  const env = {
    TOKEN: await client.accessToken(),
    PYTHONPATH: generated,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return runTool(join(commands, 'python'), [SCRIPT, gatewayUrl, path], { cwd: directory, env });
}

await runScript(run);
