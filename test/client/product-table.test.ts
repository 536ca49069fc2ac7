/** An import as CSV: what is in it, what a spreadsheet makes of it, and that it comes in parts. */
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { createPackageImportClient } from '../../src/client/index.ts';
import { answer, startFakeService } from '../support/fake-service.ts';

const submission = (id: number, facts: object = {}) => ({
  ...{
    id,
    product_id: `1-2-${id}`,
    status: 'regulator_inserted',
    case_id: `CASE-${id}`,
    failure_reason: null,
  },
  ...{ warnings: [], regulator_data: { product_type: 'Device' } },
  ...facts,
});

async function csvOf(submissions: object[], files: object = {}): Promise<string[]> {
  const service = await startFakeService(({ response }) =>
    answer(response, 200, 'Package import.', {
      data: { id: 7, submissions, zip_import: { failed: [], skipped: [], ...files } },
    }),
  );
  const parts: string[] = [];
  const csv = await createPackageImportClient(service.client).productsCsv(7);
  for await (const part of csv) parts.push(part);
  return parts;
}

it('has a line for every product and file, and no formula', async () => {
  const reason = '=HYPERLINK("http://evil.example")\nnext, "line"';
  const parts = await csvOf(
    [
      submission(1, { warnings: ['a', 'b'] }),
      submission(2, { status: 'regulator_insert_failed', case_id: null, failure_reason: reason }),
    ],
    { failed: [{ xml_file: '@a.xml', error: '+1' }], skipped: [{ xml_file: 'b.xml', reason: 'known' }] },
  );
  const text = parts.join('');
  expect(text.split('\r\n')[1]).toBe('product,1,1-2-1,Device,regulator_inserted,CASE-1,,"a\nb"');
  expect(parse(text, { columns: true, record_delimiter: '\r\n' })).toMatchObject([
    { kind: 'product', submission_id: '1', subject: '1-2-1', case_id: 'CASE-1', warnings: 'a\nb' },
    { submission_id: '2', status: 'regulator_insert_failed', case_id: '', reason: `'${reason}` },
    { kind: 'file', submission_id: '', subject: "'@a.xml", status: 'failed', reason: "'+1" },
    { kind: 'file', subject: 'b.xml', status: 'skipped', reason: 'known' },
  ]);
});

it('of a large import comes in many parts, and whole', async () => {
  const parts = await csvOf(Array.from({ length: 20_000 }, (_, index) => submission(index + 1)));
  expect(parts.length).toBeGreaterThan(10);
  const rows = parse(parts.join(''), { columns: true, record_delimiter: '\r\n' }) as {
    submission_id: string;
  }[];
  expect(rows.map(({ submission_id }) => Number(submission_id))).toEqual(
    Array.from({ length: 20_000 }, (_, index) => index + 1),
  );
});

it('of an import with nothing in it is a header', async () => {
  expect((await csvOf([])).join('')).toBe(
    'kind,submission_id,subject,type,status,case_id,reason,warnings\r\n',
  );
});
