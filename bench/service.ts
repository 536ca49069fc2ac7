/** The whole service, and what the measures do with it. */
import { join } from 'node:path';
import { createApiClient } from '../src/client/api-client.ts';
import { followImport } from '../src/client/follow-import.ts';
import { type PackageImports, packageImportsOf } from '../src/client/package-imports.ts';
import type { ImportReportJson } from '../src/gateway/schemas/package-import.ts';
import { DEMO_CLIENT } from '../src/local/identity-service/identity-service.ts';
import { type NpmStart, npmStart } from '../test/support/services/npm-start.ts';
import { generatePackage, type PackageOptions } from '../tools/package-generator/index.ts';

export interface Service extends NpmStart {
  imports: PackageImports;
  token(): Promise<string>;
  /** Waits until an import is over, so that the next measure has the machine for itself. */
  idle(importId: number): Promise<ImportReportJson>;
  /** Writes a package of products that no other one of this run has. */
  makePackage(options: PackageOptions): Promise<{ path: string; fileName: string; sizeBytes: number }>;
}

const POLL_MS = 200;

export async function startService(): Promise<Service> {
  const started = await npmStart({ LOG_LEVEL: 'silent' }, () => {});
  const { gatewayUrl, tokenUrl } = started;
  const client = createApiClient({ gatewayUrl, tokenUrl: tokenUrl ?? '', ...DEMO_CLIENT });
  let packages = 0;
  let firstNumber = 1;
  return {
    ...started,
    imports: packageImportsOf(client),
    token: () => client.accessToken(),
    idle: (importId) => followImport(client, importId, { firstPauseMs: POLL_MS, onSummary: () => {} }),
    async makePackage(options) {
      packages += 1;
      const fileName = `package-${packages}.zip`;
      const path = join(started.directory, fileName);
      const { bytes } = await generatePackage({ seed: packages, firstNumber, ...options }).writeTo(path);
      firstNumber += options.products ?? 0;
      return { path, fileName, sizeBytes: bytes };
    },
  };
}
