/** Dry run (`dry_run=true`): predicts the result for each product, without an import. */
import { checkKey, packageUuid, type StoredFileReader } from '../../archive/storage.ts';
import type { DryRunResult } from '../../contract/schemas/dry-run.ts';
import { type CheckLine, readCheck } from '../../domain/package-check.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { StreamedData } from '../json-stream.ts';
import { isOperator } from '../ownership.ts';
import { countVerdicts, dryRunMessage, presentDryRun } from '../presenters/dry-run.ts';
import type { Caller } from '../tokens/access-token.ts';
import type { AskedDryRun, ReceivedArchive } from './received-upload.ts';

export function createDryRun({
  storage,
  packageChecks,
  logger,
}: Pick<GatewayDependencies, 'storage' | 'packageChecks' | 'logger'>) {
  /**
   * Runs the check and streams its report. The report is read twice, first for the counts and then line by line, and is
   * removed from the storage after the answer.
   *
   * @throws ImportFailed if the package cannot be read
   */
  return async function dryRun(
    caller: Caller,
    archive: ReceivedArchive,
    asked: AskedDryRun = { diff: false },
  ): Promise<{ message: string; data: StreamedData<DryRunResult> }> {
    const { clientId, tenant, submitters } = caller;
    // The workflow is found by the ZIP, which belongs to no import (archive/removals.ts).
    const checkUuid = packageUuid(archive.storageKey);
    let file: StoredFileReader | undefined;
    const end = async () => {
      await file?.close();
      await storage.remove(checkKey(checkUuid));
    };
    try {
      const diff = asked.diff && { diff: isOperator(caller) ? ('all' as const) : ('own' as const) };
      await packageChecks.run({
        checkUuid,
        clientId,
        tenant,
        submitters,
        storageKey: archive.storageKey,
        ...diff,
      });
      file = await storage.open(checkKey(checkUuid));
      const lines = linesOf(file);
      const counts = await countVerdicts(lines());
      const data = presentDryRun(archive, counts, lines);
      return {
        message: dryRunMessage(counts),
        data: new StreamedData(data, () => void end().catch(leftBehind)),
      };
    } catch (error) {
      await end();
      throw error;
    }
  };

  function leftBehind(error: unknown): void {
    logger.warn({ err: error }, 'the report of a dry run was not removed; retention removes it at night');
  }
}

/** Iterates over the report, from its beginning at each call. The storage is read lazily. */
function linesOf(file: StoredFileReader): () => AsyncGenerator<CheckLine> {
  return async function* () {
    yield* readCheck(file.stream(0, file.sizeBytes).setEncoding('utf8'));
  };
}
