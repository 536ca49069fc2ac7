/** One import as it goes on: its summary often, its products as often as their number allows. */
import type {
  WebhookDelivery as Delivery,
  ImportRetry as Retry,
  ImportSummary as Summary,
} from '../../../src/contract/types.ts';
import { type Polled, usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { totalOf } from '../imports/progress.tsx';
import type { Report } from './rows.ts';

export type { Delivery, Retry, Summary };

const SELDOM_MS = 5_000;
const REFUSALS_SHOWN = 200;

export interface WatchedImport {
  summary: Polled<Summary>;
  report: Polled<Report>;
  retry: Polled<Retry>;
  deliveries: Polled<{ deliveries: Delivery[]; next_before: number | null }>;
  /** After something was asked of it. */
  refresh(): void;
}

/** @param hasRetried whether it has been run again here: the API has no word for one that never was but 404 */
export function useImport(id: number, hasRetried: boolean): WatchedImport {
  const params = { id };
  const summary = usePolled('getPackageImport', { params, query: { view: 'summary' } }) as Polled<Summary>;
  const isThere = summary.data !== undefined;
  const report = usePolled(
    'getPackageImport',
    { params },
    { everyMs: pauseFor(summary.data), enabled: isThere },
  ) as Polled<Report>;
  const seldom = { everyMs: SELDOM_MS, enabled: isThere };
  const retry = usePolled(
    'getImportRetry',
    { params, query: { limit: REFUSALS_SHOWN } },
    { ...seldom, everyMs: 2_000, enabled: isThere && hasRetried },
  );
  const deliveries = usePolled(
    'getWebhookDeliveries',
    { params },
    { ...seldom, enabled: isThere && can('getWebhookDeliveries') },
  );
  const refresh = () => {
    for (const polled of [summary, report, retry, deliveries]) polled.refresh();
  };
  return { summary, report, retry, deliveries, refresh };
}

/** A report of 10,000 products is megabytes, each time that one of them has moved. */
function pauseFor(summary: Summary | undefined): number {
  const products = summary ? totalOf(summary.progress) : 0;
  if (products <= 500) return 2_000;
  return products <= 3_000 ? 6_000 : 20_000;
}
