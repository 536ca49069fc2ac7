/** A table of an import, as a program reads it line by line. */
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { plainReason } from '../../../src/contract/reasons.ts';
import { csvOf } from '../../../src/gateway/streams.ts';

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
  for (const [id] of parse(text, { bom: true, from: 2, record_delimiter: '\r\n' })) expect(id).toMatch(/^'/);
});
