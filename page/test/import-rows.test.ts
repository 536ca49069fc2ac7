// @vitest-environment happy-dom
/** The outcome of each product, and the order of the rows. */
import { expect, it } from 'vitest';
import { plainReason, reasonsText } from '../../src/contract/reasons.ts';
import { countsOf, type Report, rowsOf, type Submission, shownOf } from '../screens/import/import-data.ts';
import { inOrderOf } from '../ui/paged-table.tsx';
import { stepStates } from '../ui/progress.tsx';

const submission = (id: number, status: Submission['status'], rest: Partial<Submission> = {}) =>
  ({
    id,
    status,
    product_id: `product-${id}`,
    case_id: null,
    warnings: [],
    reasons: [],
    ...rest,
  }) as Submission;

const REPORT = {
  submissions: [
    submission(1, 'regulator_inserted', { case_id: 'CASE-7', warnings: [plainReason('a')] }),
    submission(2, 'local'),
    submission(3, 'regulator_inserting'),
    submission(4, 'regulator_insert_failed', { reasons: [plainReason('Too late')] }),
    submission(5, 'local'),
    submission(6, 'regulator_insert_failed'),
  ],
  queue: {
    results: [
      { submission_id: 1, ok: true, message: 'queued' },
      { submission_id: 5, ok: false, message: 'in the way' },
    ],
  },
  zip_import: {
    failed: [{ xml_file: 'a.xml', error: '1-2-3: bad', reasons: [plainReason('bad')] }],
    skipped: [
      { xml_file: 'a.xml', reason: 'same' },
      { xml_file: 'a.xml', reason: 'same' },
    ],
  },
} as unknown as Report;

it('failures come first, the rest keeps the order of the archive', () => {
  const rows = rowsOf(REPORT);
  expect(rows.map(({ outcome, name }) => `${outcome} ${name}`)).toEqual([
    'refused a.xml',
    'failed product-4',
    'failed product-6',
    'not_queued product-5',
    'inserting product-3',
    'waiting product-2',
    'inserted product-1',
    'skipped a.xml',
    'skipped a.xml',
  ]);
  expect(rows.map(({ reasons }) => reasonsText(reasons)).slice(0, 4)).toEqual([
    'bad',
    'Too late',
    '',
    'in the way',
  ]);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

it('rows are counted, filtered and searched', () => {
  const rows = rowsOf(REPORT);
  expect(countsOf(rows)).toMatchObject({ all: 9, failed: 2, skipped: 2, warned: 1, inserted: 1 });
  expect(shownOf(rows, 'warned', '').map(({ name }) => name)).toEqual(['product-1']);
  expect(shownOf(rows, 'all', 'case-7').map(({ name }) => name)).toEqual(['product-1']);
  expect(shownOf(rows, 'failed', 'LATE').map(({ name }) => name)).toEqual(['product-4']);
});

it('rows keep their places while somebody reads, and new rows follow behind them', () => {
  const rows = ['new', 'b', 'a', 'newer'];
  expect(inOrderOf(rows, ['a', 'gone', 'b'], (row) => row)).toEqual(['a', 'b', 'new', 'newer']);
});

it('the first step that is not done is failed, running or open, by the status', () => {
  const state = {
    extracted_data: true,
    init_validate: true,
    product_details: true,
    product_presentation: false,
    design: false,
    ingredients: false,
    emission: true,
  };
  const states = (status: Submission['status']) => stepStates({ state, status });
  expect(states('regulator_insert_failed')).toEqual(['done', 'done', 'failed', 'open', 'open', 'done']);
  expect(states('regulator_inserting')[2]).toBe('running');
  expect(states('local')[2]).toBe('open');
});
