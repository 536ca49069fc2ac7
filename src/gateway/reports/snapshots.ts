/**
 * Snapshots of imports, held while the client reads the answer. One transaction reads the rows that may change. The
 * snapshot keeps them compressed and without warnings, so that a slow client holds no database connection
 * (decision §reports-are-streamed).
 */
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import type { ReadingBudget } from '../../archive/reading-budget.ts';
import type { ImportView } from '../../database/reports/pages.ts';
import type { ReportedSubmission } from '../../database/reports/submissions.ts';
import type { ImportMoment, ReportRepository } from '../../database/repositories/reports.ts';
import type { StatusCounts } from '../../domain/submission.ts';
import { HttpError } from '../http-error.ts';
import { headOf, type ImportSource, sourceOf } from './import-source.ts';

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/** Estimated memory of a report per product, compressed. Long failure reasons take more. */
const BYTES_OF_A_PRODUCT = 256;
/** Estimated memory of a report beside its products: one page. */
const BYTES_OF_A_REPORT = 64 * 1024;
/** Memory of all reports that are written at the same time. */
export const REPORT_MEMORY_BYTES = 64 * 1024 * 1024;
/** Part of `REPORT_MEMORY_BYTES` for one client, so that a slow client cannot hold all of it. */
const BYTES_OF_A_CLIENT = REPORT_MEMORY_BYTES / 4;
/** Longest time that a report waits for memory. */
const LONGEST_WAIT_MS = 20_000;
const RETRY_S = '10';

export interface Snapshot extends ImportSource {
  /** Releases the memory. */
  release(): void;
}

export type Snapshots = ReturnType<typeof createSnapshots>;

/** @param memory of all reports together */
export function createSnapshots(
  reports: Pick<ReportRepository, 'onSnapshot' | 'warnings' | 'files'>,
  memory: ReadingBudget,
  longestWaitMs = LONGEST_WAIT_MS,
) {
  const held = new Map<string, number>();

  /**
   * @returns null if there is no such import
   * @throws HttpError if the client, or all clients together, read too many large reports at the same time
   */
  return async function snapshotOf(clientId: string, view: ImportView): Promise<Snapshot | null> {
    const { progress } = await reports.onSnapshot(view, (moment) => moment.submissionCounts());
    const release = await reserve(clientId, BYTES_OF_A_REPORT + BYTES_OF_A_PRODUCT * totalOf(progress));
    try {
      const taken = await reports.onSnapshot(view, async (moment) => {
        const head = await headOf(moment);
        return head && { head, pages: await compressedPages(moment) };
      });
      if (taken === null) {
        release();
        return null;
      }
      const { head, pages } = taken;
      return { ...sourceOf(reports, view, head, () => decompressed(pages)), release };
    } catch (error) {
      release();
      throw error;
    }
  };

  async function reserve(clientId: string, bytes: number): Promise<() => void> {
    const before = held.get(clientId) ?? 0;
    if (before > 0 && before + bytes > BYTES_OF_A_CLIENT) throw tooManyReports();
    held.set(clientId, before + bytes);
    let release = () => {};
    const giveBack = () => {
      const left = (held.get(clientId) ?? 0) - bytes;
      if (left > 0) held.set(clientId, left);
      else held.delete(clientId);
      release();
    };
    try {
      release = await memory.reserve(bytes, AbortSignal.timeout(longestWaitMs));
    } catch {
      giveBack();
      throw tooManyReports();
    }
    return giveBack;
  }
}

function totalOf(progress: StatusCounts): number {
  return Object.values(progress).reduce((sum, count) => sum + count, 0);
}

async function compressedPages(moment: ImportMoment): Promise<Buffer[]> {
  const pages: Buffer[] = [];
  for await (const page of moment.submissions())
    pages.push(await compress(serialize(page), { level: constants.Z_BEST_SPEED }));
  return pages;
}

async function* decompressed(pages: readonly Buffer[]): AsyncGenerator<ReportedSubmission[]> {
  for (const page of pages) yield deserialize(await decompress(page));
}

function tooManyReports(): HttpError {
  const message = 'Too many reports of large imports are being read at the same time. Ask again.';
  return new HttpError('too_many_requests', message, { headers: { 'Retry-After': RETRY_S } });
}
