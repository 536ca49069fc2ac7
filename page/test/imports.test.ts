// @vitest-environment happy-dom
/** Imports on the page: lists in pages, rows of one import, lines of a product file. */
import { act, renderHook } from '@testing-library/preact';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/contract/statuses.ts';
import type { ImportOutcome, ImportSummary, OutcomeCounts, Submission } from '../../src/contract/types.ts';
import { chipsOf, latestOf } from '../screens/import/outcomes.tsx';
import { filtersOf, isFiltered, NO_FILTERS, queryOf } from '../screens/imports/filter-bar.tsx';
import { isOlder } from '../screens/imports/index.tsx';
import { searchOf } from '../ui/format.tsx';
import { belowTopOf, inOrderOf, useHeld } from '../ui/paged-table.tsx';
import { type Page as PageOf, withPage as pageIn } from '../ui/pages.ts';
import { excerptOf, lineOfPath } from '../ui/product-file.ts';
import { stepsOf } from '../ui/progress.tsx';

type Page = PageOf<ImportSummary>;
const withPage = (known: Page, page: Page, before: number | null) => pageIn(known, page, before, isOlder);

/** @param at upload time, independent of the order of the IDs */
const importOf = (id: number, at: number, of = '') =>
  ({
    id,
    comment: of,
    zip_file: { uploaded_at: new Date(at).toISOString() },
  }) as ImportSummary;

const page = (ids: number[], next_before: number | null, of = ''): Page => ({
  rows: ids.map((id) => importOf(id, 1_000 + id, of)),
  next_before,
});
const ids = ({ rows }: Page) => rows.map(({ id }) => id);

it('a new page 1 drops no import of the older pages', () => {
  const first = page([9, 8, 7], 7);
  const long = withPage(first, page([6, 5], 5), 7);
  expect([ids(long), long.next_before]).toEqual([[9, 8, 7, 6, 5], 5]);
  const later = withPage(long, page([11, 10, 9], 9, 'new'), null);
  expect([ids(later), later.next_before]).toEqual([[11, 10, 9, 8, 7, 6, 5], 5]);
  expect(later.rows[2]?.comment).toBe('new');
});

it('an import that a page no longer has is removed', () => {
  const known = withPage(page([9, 8], 8), page([7, 6, 5], 5), 8);
  expect(ids(withPage(known, page([9, 7], 7), null))).toEqual([9, 7, 6, 5]);
  expect(ids(withPage(known, page([7, 5], 5), 8))).toEqual([9, 8, 7, 5]);
});

it('a page whose start has left the list adds no import twice, and removes those that it no longer has', () => {
  const known = page([10, 9, 7, 6, 5, 4], 4);
  expect(ids(withPage(known, page([7, 6], 6), 8))).toEqual([10, 9, 7, 6, 5, 4]);
  expect(ids(withPage(known, page([7, 5], 5), 8))).toEqual([10, 9, 7, 5, 4]);
});

it('rows stay in place while somebody reads, also when the first of them leaves the list', async () => {
  const rowsOf = (...numbers: number[]) => numbers.map((id) => ({ id }));
  const { result, rerender } = renderHook(({ all, of }) => useHeld(all, of, belowTopOf), {
    initialProps: { all: rowsOf(9, 8, 7), of: '' },
  });
  const table = (scrollTop: number) => {
    const list = document.createElement('div');
    list.innerHTML = '<div class="table"></div>';
    result.current.place.current = list;
    (list.firstChild as HTMLElement).scrollTop = scrollTop;
  };
  table(100);
  rerender({ all: rowsOf(11, 10, 9, 8, 7), of: '' });
  expect(result.current.rows).toEqual(rowsOf(9, 8, 7));
  rerender({ all: rowsOf(11, 10, 8, 7), of: '' });
  expect(result.current.rows).toEqual(rowsOf(8, 7));
  await act(() => result.current.release());
  expect(result.current.rows).toEqual(rowsOf(11, 10, 8, 7));

  // The table is gone while a filter matches nothing. The next one is not scrolled.
  table(100);
  rerender({ all: [], of: 'filter' });
  table(0);
  rerender({ all: rowsOf(11, 10), of: '' });
  rerender({ all: rowsOf(12, 11, 10), of: '' });
  expect(result.current.rows).toEqual(rowsOf(12, 11, 10));
});

it('the list starts again when more imports are new than a page holds', () => {
  const known = withPage(page([9, 8], 8), page([7], null), 8);
  const now = withPage(known, page([100, 99], 99), null);
  expect([ids(now), now.next_before]).toEqual([[100, 99], 99]);
});

it('the list continues after an empty page', () => {
  const known = withPage(page([], 5_000), page([], 100), 5_000);
  expect([ids(known), known.next_before]).toEqual([[], 100]);
  expect(ids(withPage(known, page([50], null), 100))).toEqual([50]);
});

it('a search that looks at a part of the list keeps its older hits, and its end, when its newest page is polled', () => {
  const known = withPage(page([], 5_000), page([50], null), 5_000);
  const still = withPage(known, page([], 5_001), null);
  expect([ids(still), still.next_before]).toEqual([[50], null]);
  const more = withPage(still, page([9_000], 5_002), null);
  expect([ids(more), more.next_before]).toEqual([[9_000, 50], null]);
  const without = withPage(withPage(page([], 5_000), page([], null), 5_000), page([], 5_001), null);
  expect([ids(without), without.next_before]).toEqual([[], null]);
});

it('imports are ordered by upload time, not by id', () => {
  const first = { rows: [importOf(2, 20), importOf(9, 10)], next_before: 9 };
  const long = withPage(first, { rows: [importOf(8, 10), importOf(7, 9)], next_before: 7 }, 9);
  expect(ids(long)).toEqual([2, 9, 8, 7]);
  const later = withPage(long, { rows: [importOf(3, 30), importOf(2, 20)], next_before: 2 }, null);
  expect([ids(later), later.next_before]).toEqual([[3, 2, 9, 8, 7], 7]);
});

it('the address keeps filters, and invalid values in it are ignored', () => {
  const filters = { ...NO_FILTERS, status: 'failed' as const, file_name: 'a&b', from: '2026-01-31' };
  const address = searchOf(filters);
  expect(filtersOf(Object.fromEntries(new URLSearchParams(address)))).toEqual(filters);
  expect([isFiltered(filters), isFiltered(NO_FILTERS), searchOf(NO_FILTERS)]).toEqual([true, false, '']);
  expect(filtersOf({ status: 'odd', from: 'yesterday', to: '2026-99-99' })).toEqual(NO_FILTERS);
});

it('a filter by day covers whole days of the viewer', () => {
  const { from, to } = queryOf({ ...NO_FILTERS, from: '2026-01-31', to: '2026-01-31' });
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(24 * 60 * 60 * 1000);
  expect(new Date(from ?? '').getHours()).toBe(0);
  expect(queryOf({ ...NO_FILTERS, from: '2026-02-01', to: '2026-01-31' })).not.toHaveProperty('to');
});

describe('rows of one import', () => {
  it('a product that is listed before and after a change of its outcome is shown once, as it is now', () => {
    const row = (id: string, submission: { id: number; updated_at: string } | null) =>
      ({ id, submission }) as ImportOutcome;
    const file = row('0-1', null);
    const before = row('3-1', { id: 1, updated_at: '2026-01-31T12:00:00.000Z' });
    const other = row('3-2', { id: 2, updated_at: '2026-01-31T12:00:00.000Z' });
    const after = row('5-1', { id: 1, updated_at: '2026-01-31T12:00:01.000Z' });
    expect(latestOf([file, before, other, after])).toEqual([file, other, after]);
    expect(latestOf([file, after, other, before])).toEqual([file, after, other]);
  });

  it('every outcome has a chip with its number, and all of them a sum', () => {
    const by_outcome = Object.fromEntries(OUTCOMES.map((name, place) => [name, place]));
    const counts = { by_outcome, warned: 5, retryable: 1 } as OutcomeCounts;
    const chips = chipsOf(counts).map(({ name, count }) => [name, count]);
    expect(chips).toEqual([['all', 28], ...OUTCOMES.map((name, place) => [name, place]), ['warned', 5]]);
    expect(chipsOf(null).map(({ count }) => count)).toEqual(chips.map(() => undefined));
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
    const states = (status: Submission['status']) => stepsOf({ state, status }).map(({ label }) => label);
    expect(states('regulator_insert_failed')).toEqual([
      ...['done', 'done', 'failed', 'not started', 'not started', 'done'],
    ]);
    expect(states('regulator_inserting')[2]).toBe('running');
    expect(states('local')[2]).toBe('not started');
  });
});

describe('lines of a product file', () => {
  const NESTED = `<?xml version="1.0"?>
<!-- <Product><Name/></Product> -->
<x:Root note="a > b">
  <Product>
    <![CDATA[<Presentations>]]>
    <Presentations>
      <Presentation><Name>one</Name></Presentation>
      <Empty/>
      <Presentation>
        <Name>two</Name>
      </Presentation>
    </Presentations>
  </Product>
</x:Root>`;

  it.each([
    ['Product', 4],
    ['Product/Presentations/Presentation[2]/Name', 10],
    ['Product/Presentations/Presentation[1]/Name', 7],
    ['Product/Presentations/Presentation[2]/Missing', 9],
    ['Product/Design', 4],
    ['Submitter', null],
  ])('finds %s, or the innermost element around it', (path, line) => {
    expect(lineOfPath(NESTED, path)).toBe(line);
  });

  it('an element of the same name elsewhere is not found', () => {
    expect(lineOfPath('<R>\n<A><B/></A>\n<B>\n<C/></B></R>', 'B/C')).toBe(4);
  });

  it('an excerpt has the line and its neighbours, without their common indentation', () => {
    const lines = excerptOf(NESTED, 10, 1);
    expect(lines.map(({ number, text, isMeant }) => [number, text, isMeant])).toEqual([
      [9, '<Presentation>', false],
      [10, '  <Name>two</Name>', true],
      [11, '</Presentation>', false],
    ]);
    expect(excerptOf('only', 1)).toEqual([{ number: 1, text: 'only', isMeant: true }]);
    expect(excerptOf(`<a>${'x'.repeat(100_000)}</a>`, 1)[0]?.text.length).toBeLessThan(500);
  });
});
