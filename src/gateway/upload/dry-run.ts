/** `dry_run=true`: the answer that an import would give about each product, without the import. */
import { randomUUID } from 'node:crypto';
import { checkKey } from '../../archive/storage.ts';
import type { PackageCheck } from '../../domain/package-check.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { dryRunMessage, presentDryRun } from '../presenters/dry-run.ts';
import type { DryRunResultJson } from '../schemas/dry-run.ts';
import type { Caller } from '../tokens/access-token.ts';
import type { ReceivedArchive } from './received-upload.ts';

export function createDryRun({
  storage,
  packageChecks,
}: Pick<GatewayDependencies, 'storage' | 'packageChecks'>) {
  /** @throws ImportFailed when the package cannot be read */
  return async function dryRun(
    { clientId, submitters }: Pick<Caller, 'clientId' | 'submitters'>,
    archive: ReceivedArchive,
  ): Promise<{ message: string; data: DryRunResultJson }> {
    const checkUuid = randomUUID();
    try {
      await packageChecks.run({ checkUuid, clientId, submitters, storageKey: archive.storageKey });
      const data = presentDryRun(archive, await reportOf(checkUuid));
      return { message: dryRunMessage(data), data };
    } finally {
      await storage.remove(checkKey(checkUuid));
    }
  };

  async function reportOf(checkUuid: string): Promise<PackageCheck> {
    const file = await storage.open(checkKey(checkUuid));
    try {
      return JSON.parse((await file.read(0, file.sizeBytes)).toString('utf8')) as PackageCheck;
    } finally {
      await file.close();
    }
  }
}
