/** The filters of the list, in the address of the page: a link keeps them. */
import { IMPORT_STATUSES, type ImportStatus } from '../../../src/contract/statuses.ts';
import type { ImportListQuery } from '../../../src/contract/types.ts';
import { given } from '../../ui/format.tsx';

/** As in the address of the page, and empty for none: a type alias, so that it is a record of texts. */
export type Filters = {
  status: ImportStatus | '';
  has_failures: 'true' | '';
  file_name: string;
  comment: string;
  client_id: string;
  /** Days of the viewer, as `2026-01-31`. Both are included. */
  from: string;
  to: string;
};

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== '');

/** @param query of the address; invalid values are ignored */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const { file_name = '', comment = '', client_id = '' } = query;
  return {
    status: IMPORT_STATUSES.find((one) => one === query.status) ?? '',
    has_failures: query.has_failures === 'true' ? 'true' : '',
    file_name,
    comment,
    client_id,
    from: dayIn(query.from),
    to: dayIn(query.to),
  };
}

const dayIn = (text = ''): string =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

export const NO_FILTERS = filtersOf({});

/** The query of the API: days of the viewer become times. A last day before the first is left out. */
export function queryOf(filters: Filters): ImportListQuery {
  const { from, to } = filters;
  const query = {
    ...filters,
    from: from && startOf(from, 0),
    to: to && !isReversed(filters) ? startOf(to, 1) : '',
  };
  return given(query) as ImportListQuery;
}

export const isReversed = ({ from, to }: Pick<Filters, 'from' | 'to'>): boolean =>
  from !== '' && to !== '' && to < from;

/** Returns the start of a day in the viewer's time zone, or of a day some days later. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
