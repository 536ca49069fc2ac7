/** The whole service as `npm start` runs it, on free ports and a directory of its own. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, startStack } from '../src/bin/stack.ts';
import { createApiClient } from '../src/client/api-client.ts';
import { followImport } from '../src/client/follow-import.ts';
import { type PackageImports, packageImportsOf } from '../src/client/package-imports.ts';
import { type Config, loadConfig } from '../src/config.ts';
import type { ImportReportJson } from '../src/gateway/schemas/package-import.ts';
import { DEMO_CLIENT } from '../src/local/identity-service/identity-service.ts';
import { generatePackage, type PackageOptions } from '../src/local/package-generator/index.ts';
import { freePorts } from '../test/support/free-ports.ts';

export interface Service {
  config: Config;
  stack: Stack;
  imports: PackageImports;
  token(): Promise<string>;
  /** Waits until an import is over, so that the next measure has the machine for itself. */
  idle(importId: number): Promise<ImportReportJson>;
  /** Writes a package of products that no other one of this run has. */
  makePackage(options: PackageOptions): Promise<{ path: string; fileName: string; sizeBytes: number }>;
  directory: string;
  stop(): Promise<void>;
}

const POLL_MS = 200;
const PORTS = [
  'PORT',
  'POSTGRES_PORT',
  'TEMPORAL_PORT',
  'TEMPORAL_UI_PORT',
  'IAM_PORT',
  'REGULATOR_PORT',
  'MAIL_PORT',
  'MAIL_UI_PORT',
];

export async function startService(): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-bench-'));
  // PostgreSQL may run as a user of its own, who has to get through.
  await chmod(directory, 0o711);
  const numbers = await freePorts(PORTS.length);
  const ports = Object.fromEntries(PORTS.map((name, index) => [name, String(numbers[index])]));
  const env = { ...process.env, ...ports, DATA_DIR: join(directory, 'data'), LOG_LEVEL: 'silent' };
  const config = loadConfig(env);
  const stack = await startStack(config, env, () => {});
  const credentials = { clientId: DEMO_CLIENT.clientId, clientSecret: DEMO_CLIENT.clientSecret };
  const tokenUrl = stack.tokenUrl ?? '';
  const client = createApiClient({ gatewayUrl: stack.gatewayUrl, tokenUrl, ...credentials });
  let packages = 0;
  let firstNumber = 1;
  return {
    config,
    stack,
    directory,
    imports: packageImportsOf(client),
    idle: (importId) => followImport(client, importId, { firstPauseMs: POLL_MS, onSummary: () => {} }),
    async token() {
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.clientId,
        client_secret: credentials.clientSecret,
      });
      const answer = await fetch(tokenUrl, { method: 'POST', body });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    async makePackage(options) {
      packages += 1;
      const fileName = `package-${packages}.zip`;
      const path = join(directory, fileName);
      const { bytes } = await generatePackage({ seed: packages, firstNumber, ...options }).writeTo(path);
      firstNumber += options.products ?? 0;
      return { path, fileName, sizeBytes: bytes };
    },
    async stop() {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Resident memory of a process in MB. Linux only: NaN elsewhere. */
export async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
