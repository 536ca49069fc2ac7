import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Reason } from '../../contract/types.ts';
import type { NotificationRow, PackageImportRow } from '../../database/entities/package-import.ts';
import type { FileCounts, FileSelection, ReportedFile } from '../../database/reports/files.ts';
import type {
  ReportedSubmission,
  SubmissionCounts,
  SubmissionPart,
} from '../../database/reports/submissions.ts';
import type { ImportMoment, ReportRepository } from '../../database/repositories/reports.ts';
import { NotFound } from '../../domain/client-errors.ts';
import type { StatusCounts } from '../../domain/submission.ts';
import { READ_BYTES, type ReadBudget } from '../quotas/read-budgets.ts';

export interface ImportSource {
  record: PackageImportRow;
  notification: NotificationRow | null;
  counts: SubmissionCounts;
  fileCounts: FileCounts;
  /** In archive order. May be called several times. */
  submissions(): AsyncIterable<ReportedSubmission>;
  withWarnings(): AsyncIterable<{ submission: ReportedSubmission; warnings: Reason[] }>;
  files(selection: FileSelection): AsyncIterable<ReportedFile>;
}

type Reports = Pick<ReportRepository, 'onSnapshot' | 'submissions' | 'warnings' | 'files'>;

/** A queued import, for answers that show only what never changes. Each page is read when it is written. */
export async function queuedImport(reports: Reports, importId: number): Promise<ImportSource> {
  const head = await reports.onSnapshot(importId, (moment) => headOf(moment, importId));
  return sourceOf(reports, importId, head, () => reports.submissions(importId));
}

/** The data of an import without its lists. */
async function headOf(moment: ImportMoment, importId: number): Promise<ImportHead> {
  const record = await moment.record();
  if (!record) throw new NotFound('Package import', importId);
  return {
    record,
    notification: await moment.notification(),
    counts: await moment.submissionCounts(),
    fileCounts: await moment.fileCounts(),
  };
}

type ImportHead = Pick<ImportSource, 'record' | 'notification' | 'counts' | 'fileCounts'>;

/** @param pages of its submissions. Warnings and files never change and are read when they are written. */
function sourceOf(
  reports: Pick<Reports, 'warnings' | 'files'>,
  importId: number,
  head: ImportHead,
  pages: () => AsyncIterable<ReportedSubmission[]>,
): ImportSource {
  return {
    ...head,
    submissions: () => flatten(pages()),
    async *withWarnings() {
      for await (const page of pages()) {
        const warned = page.filter(({ hasWarnings }) => hasWarnings);
        const warnings = await reports.warnings(warned.map(({ id }) => id));
        for (const submission of page) {
          const own = submission.hasWarnings ? warnings.get(submission.id) : [];
          if (own === undefined) throw new Error(`submission ${submission.id} was deleted during the report`);
          yield { submission, warnings: own };
        }
      }
    },
    files: (selection) => flatten(reports.files(importId, selection, head.fileCounts)),
  };
}

async function* flatten<T>(pages: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}

/** Estimated memory of a snapshot per product, compressed. Long failure reasons take more. */
const BYTES_OF_A_PRODUCT = 256;

interface SnapshotOptions {
  /** The submissions in the snapshot; all by default. */
  part?: SubmissionPart;
  /** Estimated memory of the answer beside the snapshot and a page. */
  besides?(files: FileCounts, submissions: number): number;
}

/**
 * An import at one moment. Reserves memory before it reads the submissions. The read keeps it until its answer is taken.
 *
 * @throws HttpError if others hold the memory for too long
 */
export async function snapshotOf(
  reports: Pick<Reports, 'onSnapshot' | 'warnings' | 'files'>,
  budget: ReadBudget,
  importId: number,
  { part = {}, besides = () => 0 }: SnapshotOptions = {},
): Promise<ImportSource> {
  const { progress, files } = await reports.onSnapshot(importId, async (moment) => ({
    progress: (await moment.submissionCounts()).progress,
    files: await moment.fileCounts(),
  }));
  const submissions = totalOf(progress, part);
  const bytesBeside = READ_BYTES + besides(files, submissions);
  await budget.reserve(bytesBeside + BYTES_OF_A_PRODUCT * submissions);
  const { head, pages } = await reports.onSnapshot(importId, async (moment) => ({
    head: await headOf(moment, importId),
    pages: await compressedPages(moment, part),
  }));
  budget.loaded(bytesBeside + pages.reduce((sum, { length }) => sum + length, 0));
  return sourceOf(reports, importId, head, () => decompressed(pages));
}

function totalOf(progress: StatusCounts, { statuses }: SubmissionPart): number {
  const counted = statuses?.map((status) => progress[status]) ?? Object.values(progress);
  return counted.reduce((sum, count) => sum + count, 0);
}

async function compressedPages(moment: ImportMoment, part: SubmissionPart): Promise<Buffer[]> {
  const pages: Buffer[] = [];
  for await (const page of moment.submissions(part)) {
    // Synchronous: a page takes 0.1 ms, and the asynchronous functions take three times the processor time.
    const compressed = deflateRawSync(serialize(page), { level: constants.Z_BEST_SPEED });
    // A copy: zlib returns a part of a larger buffer.
    pages.push(Buffer.copyBytesFrom(compressed));
  }
  return pages;
}

async function* decompressed(pages: readonly Buffer[]): AsyncGenerator<ReportedSubmission[]> {
  for (const page of pages) {
    // A client that reads fast never makes the stream wait: other requests are served between two pages.
    await setImmediate();
    yield deserialize(inflateRawSync(page));
  }
}
