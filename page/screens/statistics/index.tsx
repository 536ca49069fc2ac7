/** Imports over time, as plots, tables and files. */
import { useRef } from 'preact/hooks';
import type { Span } from '../../../src/contract/statuses.ts';
import { Choice } from '../../ui/field.tsx';
import { Time } from '../../ui/format.tsx';
import { ErrorState, LoadedContent, Loading, Screen } from '../../ui/states.tsx';
import { useFilter } from '../../ui/use-filter.ts';
import { usePages } from '../../ui/use-pages.ts';
import { Chart, type ChartProps } from './chart.tsx';
import { StoredNow, WaitingNow } from './now.tsx';
import { BYTES, COUNT, SECONDS } from './plot.tsx';
import {
  clientsOf,
  dayIn,
  failureSeries,
  insertSeries,
  type Line,
  lineOf,
  outcomeSeries,
  PERIODS,
  type Period,
  receivedSeries,
  spansOf,
} from './series.ts';

const USUAL: Period = PERIODS[3];

const EVERY_MS = 60_000;
const STATISTICS_PAGE = 200;
/** A year with 11 clients, a month with 130, or three days by hour with 42. */
const MAX_LINES = 4_000;

export default function StatisticsScreen() {
  const [filter, set] = useFilter('days', 'client');
  const period = PERIODS.find(({ days }) => String(days) === filter.days) ?? USUAL;
  const { days, by } = period;
  const clientId = filter.client || null;
  const spans = spansOf(period);
  const from = dayIn(spans[0] ?? '');
  const until = dayIn(spans.at(-1) ?? '');
  const request = { by, from, to: until, client_id: clientId ?? undefined, limit: STATISTICS_PAGE };
  const { newest, list, isStale, hasMore, error, loadMore } = usePages(
    'getStatistics',
    { query: request },
    {
      rowsOf: ({ statistics }) => statistics.map((line) => lineOf(line, by)),
      // Lines of the same day or hour are in the order of the database.
      isOlder: (one: Line, than: Line) => one.at <= than.at,
      everyMs: EVERY_MS,
      atLeast: MAX_LINES,
    },
  );
  const lines = list?.rows ?? [];
  const isCut = hasMore && lines.length >= MAX_LINES;
  const known = useRef<string[]>([]);
  if (newest.data && clientId === null) known.current = clientsOf(lines);
  const clients = [...new Set([...known.current, ...(clientId === null ? [] : [clientId])])];

  return (
    <Screen title="Statistics">
      <div class="toolbar">
        <Choice
          label="Period"
          value={days}
          options={PERIODS.map((one) => [one.days, one.label])}
          onChoose={(chosen) => set({ days: chosen })}
        />
        {(clients.length > 1 || clientId !== null) && (
          <Choice
            label="Client"
            value={clientId}
            options={[[null, 'All clients'], ...clients.map((client) => [client, client] as const)]}
            onChoose={(client) => set({ client })}
          />
        )}
      </div>
      <LoadedContent of={newest}>
        {() => {
          if (error !== null) return <ErrorState error={error} onRetry={loadMore} />;
          if (isStale || (hasMore && !isCut)) return <Loading />;
          return <Charts lines={lines} isCut={isCut} by={by} spans={spans} clientId={clientId} />;
        }}
      </LoadedContent>
    </Screen>
  );
}

interface ChartsProps {
  lines: readonly Line[];
  /** The oldest days or hours of the period are missing. */
  isCut: boolean;
  by: Span;
  spans: readonly string[];
  clientId: string | null;
}

function Charts({ lines, isCut, by, spans, clientId }: ChartsProps) {
  const charts: Omit<ChartProps, 'period'>[] = [
    {
      title: `Products by ${by}`,
      hint: `By the ${by} of the upload (UTC), with their current outcome.`,
      name: 'products',
      kind: 'bars',
      unit: COUNT,
      series: outcomeSeries(lines, spans),
    },
    {
      title: 'Time until inserted',
      hint: `From reading a product to its insert.${
        clientsOf(lines).length > 1 ? ` Each ${by} shows the slowest client.` : ''
      }`,
      name: 'time-until-inserted',
      kind: 'lines',
      unit: SECONDS,
      series: insertSeries(lines, spans),
    },
    {
      title: 'Failures by reason',
      hint: 'The package, a product file, or the step of the insert.',
      name: 'failures',
      kind: 'bars',
      unit: COUNT,
      series: failureSeries(lines, spans),
    },
    {
      title: 'Packages received',
      hint: `Size of the packages of each ${by}.`,
      name: 'received-bytes',
      kind: 'bars',
      unit: BYTES,
      series: receivedSeries(lines, spans),
    },
  ];
  const counted = lines
    .map(({ counted_at }) => counted_at)
    .sort()
    .at(-1);
  return (
    <div class="stack loose">
      {isCut && (
        <div class="notice warn" role="status">
          This page cannot load all {by}s: the oldest are missing. Choose a client or a shorter period.
        </div>
      )}
      <div class="columns" style={{ '--least': '30rem' }}>
        {charts.map((chart) => (
          <Chart key={chart.name} period={{ by, spans }} {...chart} />
        ))}
        <WaitingNow clientId={clientId} />
        <StoredNow clientId={clientId} />
      </div>
      {counted && (
        <p class="muted">
          Updated every few minutes, last at <Time value={counted} />.
        </p>
      )}
    </div>
  );
}
