/** Dry run (`dry_run=true`): predicts the result for each product, without an import. */
import { checkKey, fileStream, packageUuid, type StoredFileReader } from '../../archive/storage.ts';
import { VERDICTS, type Verdict } from '../../contract/statuses.ts';
import type { DryRunResult } from '../../contract/types.ts';
import { type CheckLine, readCheck } from '../../domain/package-check.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { isOperator } from '../ownership.ts';
import { presentUnreadable, presentZipFile } from '../presenters/package-import.ts';
import { type Streamed, StreamedData } from '../streams.ts';
import type { Caller } from '../tokens/access-token.ts';
import type { ReceivedArchive } from './receive-archive.ts';

/**
 * Runs the check and streams its report. The report is read twice, first for the counts and then line by line, and is
 * removed from the storage after the answer.
 *
 * @param diff shows each product's difference to its last inserted version
 * @throws ImportFailed if the package cannot be read
 */
export async function dryRun(
  { readAudit, storage, packageChecks, logger }: GatewayDependencies,
  caller: Caller,
  archive: ReceivedArchive,
  diff = false,
): Promise<{ message: string; data: StreamedData<DryRunResult> }> {
  const { clientId, tenant, submitters } = caller;
  if (diff) await readAudit.note(caller, null, { action: 'product.diff_read' });
  // ZIP, workflow and report have the same uuid.
  const checkUuid = packageUuid(archive.storageKey);
  let file: StoredFileReader | undefined;
  const end = async () => {
    try {
      await file?.close();
      await storage.remove(checkKey(checkUuid));
    } catch (error) {
      logger.warn({ err: error }, 'the report of a dry run was not removed; retention removes it at night');
    }
  };
  try {
    await packageChecks.run({
      checkUuid,
      clientId,
      tenant,
      submitters,
      storageKey: archive.storageKey,
      ...(diff && { diff: isOperator(caller) ? 'all' : 'own' }),
    });
    file = await storage.open(checkKey(checkUuid));
    const lines = linesOf(file);
    const counts = await countVerdicts(lines());
    const data: Streamed<DryRunResult> = {
      dry_run: true,
      zip_file: presentZipFile({ uploadedAt: new Date(), sizeBytes: archive.sizeBytes }),
      counts,
      products: presentProducts(lines()),
      warnings: presentWarnings(lines()),
    };
    return { message: dryRunMessage(counts), data: new StreamedData(data, () => void end()) };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Iterates over the report, from its beginning at each call. The storage is read lazily. */
function linesOf(file: StoredFileReader): () => AsyncGenerator<CheckLine> {
  return async function* () {
    yield* readCheck(fileStream(file).setEncoding('utf8'));
  };
}

type VerdictCounts = Record<Verdict, number>;

async function countVerdicts(lines: AsyncIterable<CheckLine>): Promise<VerdictCounts> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as VerdictCounts;
  for await (const line of lines) if ('product' in line) counts[line.product.outcome] += 1;
  return counts;
}

async function* presentProducts(lines: AsyncIterable<CheckLine>) {
  for await (const line of lines) {
    if (!('product' in line)) return;
    yield line.product;
  }
}

async function* presentWarnings(lines: AsyncIterable<CheckLine>) {
  for await (const line of lines) if ('unreadable' in line) yield* presentUnreadable(line.unreadable);
}

function dryRunMessage(counts: VerdictCounts): string {
  const parts = VERDICTS.map((verdict) => `${verdict}: ${counts[verdict]}`);
  return `Dry run: nothing was imported. ${parts.join(', ')}.`;
}
