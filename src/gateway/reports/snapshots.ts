/**
 * Snapshots of imports, held while the client reads the answer. One transaction reads the rows that may change. The
 * snapshot keeps them compressed and without warnings, so that a slow client holds no database connection
 * (decision §reports-are-streamed).
 */
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import type { FileCounts } from '../../database/reports/files.ts';
import type { ReportedSubmission, SubmissionPart } from '../../database/reports/submissions.ts';
import type { ImportMoment, ReportRepository } from '../../database/repositories/reports.ts';
import type { StatusCounts } from '../../domain/submission.ts';
import { READ_BYTES, type Read } from '../quotas/reads.ts';
import { headOf, type ImportSource, sourceOf } from './import-source.ts';

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/** Estimated memory of a snapshot per product, compressed. Long failure reasons take more. */
const BYTES_OF_A_PRODUCT = 256;

export type Snapshots = ReturnType<typeof createSnapshots>;

export interface SnapshotOptions {
  /** The submissions in the snapshot; all by default. */
  part?: SubmissionPart;
  /** Estimated memory of the answer beside the snapshot and a page. */
  besides?(files: FileCounts, submissions: number): number;
}

export function createSnapshots(reports: Pick<ReportRepository, 'onSnapshot' | 'warnings' | 'files'>) {
  /**
   * Reserves memory before it reads the submissions. The read keeps it until its answer is taken.
   *
   * @returns null if there is no such import
   * @throws HttpError if others hold the memory for too long
   */
  return async function snapshotOf(
    read: Read,
    importId: number,
    { part = {}, besides = () => 0 }: SnapshotOptions = {},
  ): Promise<ImportSource | null> {
    const { progress, files } = await reports.onSnapshot(importId, async (moment) => ({
      progress: (await moment.submissionCounts()).progress,
      files: await moment.fileCounts(),
    }));
    const submissions = totalOf(progress, part);
    const bytesBeside = READ_BYTES + besides(files, submissions);
    await read.reserve(bytesBeside + BYTES_OF_A_PRODUCT * submissions);
    const taken = await reports.onSnapshot(importId, async (moment) => {
      const head = await headOf(moment);
      return head && { head, pages: await compressedPages(moment, part) };
    });
    if (taken === null) return null;
    const { head, pages } = taken;
    read.loaded(bytesBeside + pages.reduce((sum, { length }) => sum + length, 0));
    return sourceOf(reports, importId, head, () => decompressed(pages));
  };
}

function totalOf(progress: StatusCounts, { statuses }: SubmissionPart): number {
  const counted = statuses?.map((status) => progress[status]) ?? Object.values(progress);
  return counted.reduce((sum, count) => sum + count, 0);
}

async function compressedPages(moment: ImportMoment, part: SubmissionPart): Promise<Buffer[]> {
  const pages: Buffer[] = [];
  for await (const page of moment.submissions(part)) {
    const compressed = await compress(serialize(page), { level: constants.Z_BEST_SPEED });
    // A copy: zlib returns a part of a larger buffer.
    pages.push(Buffer.copyBytesFrom(compressed));
  }
  return pages;
}

async function* decompressed(pages: readonly Buffer[]): AsyncGenerator<ReportedSubmission[]> {
  for (const page of pages) yield deserialize(await decompress(page));
}
