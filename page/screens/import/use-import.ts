/** Polls one import: the summary often, the products less often as their number grows. */
import type {
  WebhookDelivery as Delivery,
  ImportRetry as Retry,
  ImportSummary as Summary,
} from '../../../src/contract/types.ts';
import { type Polled, usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { totalOf } from '../../ui/progress-bar.tsx';
import type { Report } from './rows.ts';

export type { Delivery, Retry, Summary };

const SELDOM_MS = 5_000;
const REFUSALS_SHOWN = 200;

export interface WatchedImport {
  summary: Polled<Summary>;
  report: Polled<Report>;
  retry: Polled<Retry>;
  deliveries: Polled<{ deliveries: Delivery[]; next_before: number | null }>;
  /** Loads the import again, after an action. */
  refresh(): void;
}

/** @param hasRetried whether this page retried the import: the API answers 404 for an import without a retry */
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

/** Milliseconds. A report of 10,000 products has megabytes, and changes with each product. */
function pauseFor(summary: Summary | undefined): number {
  const products = summary ? totalOf(summary.progress) : 0;
  if (products <= 500) return 2_000;
  return products <= 3_000 ? 6_000 : 20_000;
}
