/**
 * Packages far larger than the memory limit. The default takes seconds. LARGE_PRODUCTS=10000
 * LARGE_ATTACHMENTS_MB=1450 makes the largest accepted package (a ZIP of 2 GB).
 */
import { expect, it } from 'vitest';
import { readLargePackage } from '../large/read-package.ts';
import { startStack } from '../support/starters/stack.ts';

const MIB = 1024 * 1024;
const products = Number(process.env.LARGE_PRODUCTS ?? 250);
const attachmentMb = Number(process.env.LARGE_ATTACHMENTS_MB ?? 220);
const attachments = Math.ceil(attachmentMb / 4);

const stack = await startStack({ withoutWorkers: true });
const figures = await readLargePackage(stack, { products, attachments, attachmentBytes: attachmentMb * MIB });
const { result: _, heartbeats, ...numbers } = figures;
process.stdout.write(`${JSON.stringify({ ...numbers, heartbeats: heartbeats.length })}\n`);

it('a package is read to its end after its worker dies', () => {
  expect(figures.packageMb).toBeGreaterThan(attachmentMb);
  expect(figures.result.zip_import).toMatchObject({
    extracted_xml_files: products,
    skipped_count: 0,
    failed: [],
  });
  expect(figures.result.zip_import.created_submissions).toHaveLength(products);
  expect(
    new Set(figures.result.zip_import.created_submissions.map(({ product_id }) => product_id)).size,
  ).toBe(products);
});

it('no finished file is read again: the test has damaged them', () => {
  expect(figures.recordedBeforeKill).toBeGreaterThanOrEqual(attachments / 4);
  expect(figures.recordedBeforeKill).toBeLessThan(attachments);
  expect(figures.recordedAtEnd).toBe(attachments);
  const warnings = figures.result.submissions.flatMap((submission) => submission.warnings);
  expect(warnings.filter(({ text }) => text.includes('neither in this package'))).toEqual([]);
});

it('heartbeats show the progress', () => {
  const phases = figures.heartbeats.map(({ phase }) => phase);
  expect(phases).toContain('attachments and submitters');
  const progress = figures.heartbeats.filter(({ phase }) => phase === 'attachments and submitters');
  expect(progress.length).toBeGreaterThan(1);
  for (const { done, total } of progress) {
    expect(total).toBe(attachments + 1);
    expect(done).toBeLessThanOrEqual(total);
  }
});

it('memory does not grow with the size of the package', () => {
  expect(figures.attachmentsGrowthMb).toBeLessThan(180);
  expect(figures.workerGrowthMb).toBeLessThan(400);
});
