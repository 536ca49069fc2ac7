/** The answer to a dry run, made from the report of the check. */

import { VERDICTS, type Verdict } from '../../contract/statuses.ts';
import type { DryRunResult } from '../../contract/types.ts';
import type { CheckLine } from '../../domain/package-check.ts';
import type { Streamed } from '../json-stream.ts';
import { presentUnreadable, presentZipFile } from './package-import.ts';

type VerdictCounts = Record<Verdict, number>;

export async function countVerdicts(lines: AsyncIterable<CheckLine>): Promise<VerdictCounts> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as VerdictCounts;
  for await (const line of lines) if ('product' in line) counts[line.product.outcome] += 1;
  return counts;
}

/** @param lines iterates over the report, from its beginning at each call */
export function presentDryRun(
  { sizeBytes }: { sizeBytes: number },
  counts: VerdictCounts,
  lines: () => AsyncIterable<CheckLine>,
): Streamed<DryRunResult> {
  return {
    dry_run: true,
    zip_file: presentZipFile({ uploadedAt: new Date(), sizeBytes }),
    counts,
    products: presentProducts(lines()),
    warnings: presentWarnings(lines()),
  };
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

export function dryRunMessage(counts: VerdictCounts): string {
  const parts = VERDICTS.map((verdict) => `${verdict}: ${counts[verdict]}`);
  return `Dry run: nothing was imported. ${parts.join(', ')}.`;
}
