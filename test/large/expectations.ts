/** Invariants of every large import, independent of its size. */
import { expect } from 'vitest';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import type { LargeImportFigures } from './large-import.ts';

/** A small part of what Temporal allows: 51,200 events, 50 MB, 2 MB a payload, 2,000 pending children. */
const FAR = { events: 10_000, bytes: 5_000_000, payloadBytes: 64_000 };

/** @param cases how many products are sent to the regulator */
export function expectWhole(figures: LargeImportFigures, cases: number): void {
  const { products } = figures;
  const batches = Math.ceil(products / BATCH_SIZE);
  expect(figures).toMatchObject({
    answer: { status: 200, created: products, queued: products },
    submissions: { regulator_inserted: products },
    cases,
    repeatedCases: 0,
    mails: 1,
    imports: { runs: 1, completed: 1 },
    batches: { runs: batches, completed: batches },
    inserts: { runs: products, completed: products },
  });
}

export function expectFarFromLimits({ imports, batches, inserts }: LargeImportFigures): void {
  for (const { events, bytes, payloadBytes } of [imports, batches, inserts]) {
    // A figure of zero would mean that nothing was measured.
    for (const figure of [events, bytes, payloadBytes]) expect(figure).toBeGreaterThan(0);
    expect(events).toBeLessThan(FAR.events);
    expect(bytes).toBeLessThan(FAR.bytes);
    expect(payloadBytes).toBeLessThan(FAR.payloadBytes);
  }
  expect(batches.pendingChildren).toBeGreaterThan(1);
  expect(batches.pendingChildren).toBeLessThanOrEqual(BATCH_SIZE);
  expect(imports.pendingChildren).toBeLessThanOrEqual(BATCH_SIZE);
  expect(inserts.pendingChildren).toBe(0);
}
