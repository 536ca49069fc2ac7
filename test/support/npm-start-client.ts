/** A client of the service under `npm start`, with a view of the regulator's cases and of the mailbox. */
import { join } from 'node:path';
import { createApiClient } from '../../cli/client/api-client.ts';
import { followImport } from '../../cli/client/follow-import.ts';
import { packageImportsOf } from '../../cli/client/package-imports.ts';
import type { Config } from '../../src/config/index.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { openMailStore } from '../../src/trial-parts/mailbox/mail-store.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { eventually } from './eventually.ts';

export interface StartedImport {
  importId: number;
  products: string[];
  /** Resolves when this many of its products have a case at the regulator. */
  casesOpened(count: number): Promise<unknown>;
}

export type NpmStartClient = ReturnType<typeof clientOf>;

/** @param directory for the packages */
export function clientOf({ gateway, auth, regulator, dataDir }: Config, directory: string) {
  const client = createApiClient({
    gatewayUrl: `http://${gateway.host}:${gateway.port}`,
    tokenUrl: `${auth.issuer}/oauth2/token`,
    ...DEMO_CLIENT,
  });
  const imports = packageImportsOf(client);

  async function control<T>(path: string, change?: object): Promise<T> {
    const response = await fetch(`${regulator.url}/control/${path}`, {
      ...(change && { method: 'PUT', body: JSON.stringify(change) }),
      headers: { 'content-type': 'application/json' },
    });
    return (await response.json()) as T;
  }

  /** The import's products that have a case; a product appears once per case. */
  async function casesOf(products: readonly string[]): Promise<string[]> {
    const cases = await control<{ product_id: string }[]>('cases');
    return cases.map((one) => one.product_id).filter((productId) => products.includes(productId));
  }

  return {
    casesOf,
    report: imports.report,
    /** Waits until everything has ended. */
    follow: (importId: number) => followImport(client, importId),

    /** Uploads a generated package, which is the same for each seed. The regulator takes `latencyMs` per call. */
    async startImport(seed: number, products: number, latencyMs: number): Promise<StartedImport> {
      await control('behaviour', { latency_ms: latencyMs });
      const path = join(directory, `${seed}.zip`);
      const { bytes } = await generatePackage({ seed, firstNumber: seed * 1_000, products }).writeTo(path);
      const { data } = await imports.upload({
        path,
        sizeBytes: bytes,
        fileName: 'package.zip',
        email: 'person@company.example',
      });
      const ids = data.submissions.map(({ product_id }) => product_id);
      return {
        importId: data.id,
        products: ids,
        casesOpened: (count) => eventually(async () => (await casesOf(ids)).length >= count),
      };
    },

    /** Runs all failures of an import again, like `package-import retry`. */
    async retry(importId: number): Promise<void> {
      const { data } = await imports.report(importId);
      for (const { id, actions } of data.submissions) if (actions.length > 0) await imports.runInsert(id);
    },

    /** Message-IDs of the sent summaries. */
    async summariesOf(importId: number): Promise<string[]> {
      const mails = await (await openMailStore(join(dataDir, 'mailbox'))).list();
      return mails
        .filter(({ subject }) => subject.startsWith(`Package import ${importId}:`))
        .map(({ messageId }) => messageId);
    },
  };
}
