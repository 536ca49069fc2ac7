/** Contents of answers: the message of an upload (interface §2.3), and tables of an import. */

import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { QUEUE_STATUS } from '../../src/contract/statuses.ts';
import { importMessage } from '../../src/gateway/presenters/package-import.ts';
import { presentQueuedSubmission, presentSubmission } from '../../src/gateway/presenters/submission.ts';
import { csvOf } from '../../src/gateway/streams.ts';

const SUCCESS = 'Package ZIP imported and queued successfully.';
const all = { created: 3, skipped: 2, failed: 0, queued: 3, queueFailed: 0, inserted: 0, insertFailed: 0 };

it('is that of a success although files were skipped', () => {
  expect(importMessage(all)).toBe(SUCCESS);
});

it('says that a package has no products', () => {
  const none = { ...all, created: 0, skipped: 0, queued: 0 };
  expect(importMessage(none)).toBe(
    `${SUCCESS} The package has no products. Product files belong in export/ecigarette-product-submissions.`,
  );
});

it.each([
  [{ failed: 1 }, 'Added: 3, skipped: 2, failed: 1, queued: 3, queue_failed: 0.'],
  [{ queued: 2, queueFailed: 1 }, 'Added: 3, skipped: 2, failed: 0, queued: 2, queue_failed: 1.'],
])('gives the counts of a partial result: %o', (counts, end) => {
  expect(importMessage({ ...all, ...counts })).toBe(`Package ZIP processed with partial results. ${end}`);
});

it('a submission that began its insert after the list was read offers none', () => {
  const row = { createdAt: new Date(), updatedAt: new Date() };
  const actionsOf = (status: string) => presentSubmission({ ...row, status } as never, true).actions;
  expect(actionsOf('regulator_inserting')).toEqual([]);
  expect(actionsOf('local')).toEqual(['regulator-insert']);
});

it('a repeated upload gets the same answer, whatever has become of the insert', () => {
  const createdAt = new Date();
  const result = { status: QUEUE_STATUS.queued, jobId: 'run', createdAt } as const;
  const answer = (row: object) =>
    presentQueuedSubmission({ createdAt, updatedAt: new Date(), ...row } as never, result);
  const failureReason = [plainReason('It is refused.')];
  const since = { status: 'regulator_insert_failed', failureReason, caseId: 'CASE-1', design: true };
  expect(answer(since)).toEqual(answer({ design: false }));
});

const csv = async (rows: object[]) =>
  (await Array.fromAsync(csvOf(['id', 'warnings'], rows.values() as never))).join('');

it('several warnings are lines of one quoted cell, because some readers end a row at a line feed', async () => {
  const text = await csv([
    { id: 1, warnings: [plainReason('first'), plainReason('second')] },
    { id: 2, warnings: [plainReason('a\rb')] },
  ]);
  expect(text).toBe('\uFEFFid,warnings\r\n1,"first\nsecond"\r\n2,"a\rb"\r\n');
  expect(parse(text, { bom: true, columns: true, record_delimiter: '\r\n' })).toEqual([
    { id: '1', warnings: 'first\nsecond' },
    { id: '2', warnings: 'a\rb' },
  ]);
});

it('a cell that a spreadsheet would interpret as a formula starts with an apostrophe', async () => {
  const text = await csv(
    ['=1+1', '+1', '-1', '@a', '\ta', '\ra'].map((cell) => ({ id: cell, warnings: [] })),
  );
  const rows = parse(text, { bom: true, from: 2, record_delimiter: '\r\n' });
  expect(rows).toHaveLength(6);
  for (const [id] of rows) expect(id).toMatch(/^'/);
});

it('a cell stays one where semicolons and tabs separate cells too, as they do in LibreOffice by default', async () => {
  const cells = ['one; two', 'a;=1+1.xml', 'a\t=1+1.xml'];
  const text = await csv(cells.map((id) => ({ id, warnings: [] })));
  const read = parse(text, { bom: true, from: 2, delimiter: [',', ';', '\t'] });
  expect(read).toEqual(cells.map((id) => [id, '']));
});
