// @vitest-environment happy-dom
/** The list of imports: pages that fit together, filters that the address keeps. */
import { expect, it } from 'vitest';
import type { ImportSummary } from '../../src/contract/types.ts';
import { filtersOf, isFiltered, NO_FILTERS, queryOf } from '../screens/imports/filters.ts';
import { isOlder, unfinishedFrom } from '../screens/imports/index.tsx';
import { searchOf } from '../ui/format.tsx';
import { type Page as PageOf, withPage as pageIn } from '../ui/use-pages.ts';

type Page = PageOf<ImportSummary>;
const withPage = (known: Page | null, page: Page, before: number | null) =>
  pageIn(known, page, before, isOlder);

/** @param at upload time, independent of the order of the IDs */
const importOf = (id: number, at: number, of = '') =>
  ({
    id,
    comment: of,
    completed_at: of === 'open' ? null : 'then',
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

it('imports are ordered by upload time, not by id', () => {
  const first = { rows: [importOf(2, 20), importOf(9, 10)], next_before: 9 };
  const long = withPage(first, { rows: [importOf(8, 10), importOf(7, 9)], next_before: 7 }, 9);
  expect(ids(long)).toEqual([2, 9, 8, 7]);
  const later = withPage(long, { rows: [importOf(3, 30), importOf(2, 20)], next_before: 2 }, null);
  expect([ids(later), later.next_before]).toEqual([[3, 2, 9, 8, 7], 7]);
});

it('running imports are found by their index', () => {
  const known = withPage(page([9, 8], 8), page([7, 6], null, 'open'), 8);
  expect(unfinishedFrom(known.rows, 2)).toBe(2);
  expect(unfinishedFrom(known.rows, 4)).toBeNull();
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
