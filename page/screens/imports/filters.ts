/** The filters of the list, in the address of the page: a link keeps them. */
import { IMPORT_STATUSES, type ImportStatus } from '../../../src/contract/statuses.ts';
import type { ImportListQuery as ListQuery } from '../../../src/contract/types.ts';
import { searchOf } from '../../ui/format.ts';

export type { ListQuery };

export interface Filters {
  status: ImportStatus | 'all';
  hasFailures: boolean;
  fileName: string;
  comment: string;
  clientId: string;
  /** Days of the viewer, as `2026-01-31`; empty for none. Both are included. */
  from: string;
  to: string;
}

export const NO_FILTERS: Readonly<Filters> = {
  status: 'all',
  hasFailures: false,
  fileName: '',
  comment: '',
  clientId: '',
  from: '',
  to: '',
};

const DAY = /^\d{4}-\d\d-\d\d$/;

/** @param query of the address; invalid values are ignored */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const day = (text = '') => (DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '');
  return {
    status: IMPORT_STATUSES.find((one) => one === query.status) ?? 'all',
    hasFailures: query.has_failures === 'true',
    fileName: query.file_name ?? '',
    comment: query.comment ?? '',
    clientId: query.client_id ?? '',
    from: day(query.from),
    to: day(query.to),
  };
}

/** The query of the address, with its question mark; empty without filters. */
export function addressOf(filters: Filters): string {
  const { status, hasFailures, fileName, comment, clientId, from, to } = filters;
  return searchOf({
    status: status === 'all' ? '' : status,
    has_failures: hasFailures ? 'true' : '',
    file_name: fileName,
    comment,
    client_id: clientId,
    from,
    to,
  });
}

/** The query of the API: days of the viewer become times. A last day before the first is left out. */
export function queryOf(filters: Filters): ListQuery {
  const { status, hasFailures, fileName, comment, clientId, from, to } = filters;
  return {
    ...(status !== 'all' && { status }),
    ...(hasFailures && { has_failures: 'true' }),
    ...(fileName !== '' && { file_name: fileName }),
    ...(comment !== '' && { comment }),
    ...(clientId !== '' && { client_id: clientId }),
    ...(from !== '' && { from: startOf(from, 0) }),
    ...(to !== '' && !isReversed(filters) && { to: startOf(to, 1) }),
  };
}

export const isReversed = ({ from, to }: Pick<Filters, 'from' | 'to'>): boolean =>
  from !== '' && to !== '' && to < from;

/** Returns the start of a day in the viewer's time zone, or of a day some days later. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
