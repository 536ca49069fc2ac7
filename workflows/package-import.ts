/**
 * One uploaded package, from its ZIP to its summary e-mail: extract, queue one insert per product,
 * answer the upload, wait for every insert, send the summary (design §4.4).
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { ImportCounts } from '../src/domain/package-import.ts';
import { IMPORT_CANCELLED } from '../src/domain/queue.ts';
import { extraction, importRecords, mail } from './activity-proxies.ts';
import { rootCause } from './failures.ts';
import { type PackageImportInput, type PackageImportResult, processPackage } from './messages.ts';
import { runBatches } from './package-import-batch.ts';
import { queueInserts } from './queue-inserts.ts';

export async function packageImport(input: PackageImportInput): Promise<PackageImportResult> {
  const { importId } = input;
  const answer = new Answer();
  setHandler(processPackage, () => answer.given());
  let cancelled = false;
  try {
    await run(input, answer);
  } catch (error) {
    if (!isCancellation(error)) {
      await CancellationScope.nonCancellable(() => refuse(importId, answer, error));
      throw answer.failure;
    }
    cancelled = true;
    answer.fail(
      ApplicationFailure.create({
        message: IMPORT_CANCELLED,
        type: 'ImportCancelled',
        nonRetryable: true,
      }),
    );
  }
  return CancellationScope.nonCancellable(() => end(input, cancelled));
}

async function run(input: PackageImportInput, answer: Answer): Promise<void> {
  const { importId } = input;
  setCurrentDetails('Reading the package.');
  const { created, batches } = await extraction.extractPackage({ importId });
  const progress = { total: created, inserted: 0, failed: 0 };
  const report = (inserted: boolean) => {
    if (inserted) progress.inserted += 1;
    else progress.failed += 1;
    setCurrentDetails(`${progress.inserted} of ${progress.total} inserted, ${progress.failed} failed.`);
  };
  setCurrentDetails(`Queuing ${created} products.`);
  const running =
    batches <= 1 ? await queueInserts({ ...input, batch: 1 }, report) : await runBatches(input, batches);
  answer.give(await CancellationScope.nonCancellable(() => importRecords.finishQueuing({ importId })));
  await running.ended();
}

/** The package cannot be read: keeps the reason, answers with it, and lets the workflow fail with it. */
async function refuse(importId: number, answer: Answer, error: unknown): Promise<void> {
  const { message, type } = rootCause(error);
  answer.fail(ApplicationFailure.create({ message, type, nonRetryable: true }));
  await importRecords.failImport({ importId, reason: message });
  setCurrentDetails(`Failed: ${message}`);
  await condition(allHandlersFinished);
}

/** The summary goes out whatever became of the products; then the import is over. */
async function end({ importId }: PackageImportInput, cancelled: boolean): Promise<PackageImportResult> {
  let mailFailure: unknown;
  try {
    await mail.sendSummary({ importId });
  } catch (error) {
    mailFailure = error;
  }
  const result = await importRecords.completeImport({ importId, cancelled });
  setCurrentDetails(
    `Finished: ${result.inserted} of ${result.created} inserted, ${result.insertFailed} failed.`,
  );
  await condition(allHandlersFinished);
  if (mailFailure !== undefined) {
    const { message, type } = rootCause(mailFailure);
    throw ApplicationFailure.create({
      message: `The summary e-mail was not sent: ${message}`,
      type,
      nonRetryable: true,
    });
  }
  return result;
}

/** What the update answers: given once, by the main run, to everyone who waits for it. */
class Answer {
  #counts: ImportCounts | undefined;
  #failure: ApplicationFailure | undefined;

  give(counts: ImportCounts): void {
    this.#counts ??= counts;
  }

  fail(failure: ApplicationFailure): void {
    this.#failure ??= failure;
  }

  get failure(): ApplicationFailure | undefined {
    return this.#failure;
  }

  /** @throws ApplicationFailure only: anything else would make the task retry while the caller hangs (design §4) */
  given(): Promise<ImportCounts> {
    return CancellationScope.nonCancellable(async () => {
      await condition(() => this.#counts !== undefined || this.#failure !== undefined);
      if (this.#counts !== undefined) return this.#counts;
      throw this.#failure;
    });
  }
}
