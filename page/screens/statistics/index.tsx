/** Imports over time, as plots, tables and files. */
import { useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { to } from '../../settings.ts';
import { Field } from '../../ui/field.tsx';
import { searchOf } from '../../ui/format.ts';
import { Screen } from '../../ui/screen.tsx';
import { PolledContent } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Chart } from './chart.tsx';
import { StoredNow, WaitingNow } from './now.tsx';
import { dayIn, PERIODS, type Period, type Span, spansOf } from './period.ts';
import { clientsOf, failureSeries, insertSeries, outcomeSeries, receivedSeries } from './series.ts';
import css from './statistics.module.css';
import { BYTES, COUNT, SECONDS } from './units.ts';
import { type PeriodLines, useStatistics } from './use-statistics.ts';

const USUAL: Period = PERIODS[3];

export default function StatisticsScreen() {
  const { query, route } = useLocation();
  const period = PERIODS.find(({ days }) => String(days) === query.days) ?? USUAL;
  const { days, by } = period;
  const clientId = query.client || null;
  const spans = spansOf(period);
  const polled = useStatistics(by, dayIn(spans[0] ?? ''), dayIn(spans.at(-1) ?? ''), clientId);
  const known = useRef<string[]>([]);
  if (polled.data && clientId === null) known.current = clientsOf(polled.data.lines);
  const clients = [...new Set([...known.current, ...(clientId === null ? [] : [clientId])])];

  const choose = (change: { days?: string; client?: string }) => {
    const next = { days: String(days), client: clientId ?? '', ...change };
    route(to(`statistics${searchOf(next)}`), true);
  };
  return (
    <Screen title="Statistics">
      <div class="toolbar">
        <Field label="Time">
          <select value={days} onChange={(event) => choose({ days: event.currentTarget.value })}>
            {PERIODS.map((period) => (
              <option key={period.days} value={period.days}>
                {period.label}
              </option>
            ))}
          </select>
        </Field>
        {(clients.length > 1 || clientId !== null) && (
          <Field label="Client">
            <select
              value={clientId ?? ''}
              onChange={(event) => choose({ client: event.currentTarget.value })}
            >
              <option value="">All clients</option>
              {clients.map((client) => (
                <option key={client} value={client}>
                  {client}
                </option>
              ))}
            </select>
          </Field>
        )}
      </div>
      <PolledContent polled={polled}>
        {(data) => <Charts data={data} by={by} spans={spans} clientId={clientId} />}
      </PolledContent>
    </Screen>
  );
}

interface ChartsProps {
  data: PeriodLines;
  by: Span;
  spans: readonly string[];
  clientId: string | null;
}

function Charts({ data: { lines, isCut }, by, spans, clientId }: ChartsProps) {
  const series = useMemo(
    () => ({
      outcomes: outcomeSeries(lines, spans),
      seconds: insertSeries(lines, spans),
      failures: failureSeries(lines, spans),
      received: receivedSeries(lines, spans),
    }),
    // Every drawing creates new spans: their number and the last one identify them.
    [lines, spans.length, spans.at(-1)],
  );
  const several = clientsOf(lines).length > 1;
  const counted = lines
    .map(({ counted_at }) => counted_at)
    .sort()
    .at(-1);
  return (
    <>
      {isCut && (
        <div class="notice warn" role="status">
          This page cannot load all {by}s: the oldest are missing. Choose a client or a shorter time.
        </div>
      )}
      <div class={css.charts}>
        <Chart
          title={`Products by ${by}`}
          hint={`By the ${by} of the upload (UTC), with their current outcome.`}
          name="products"
          kind="bars"
          by={by}
          spans={spans}
          unit={COUNT}
          series={series.outcomes}
        />
        <Chart
          title="Time until inserted"
          hint={
            several
              ? `From reading a product to its insert; for each ${by} the slowest client.`
              : 'From reading a product to its insert.'
          }
          name="time-until-inserted"
          kind="lines"
          by={by}
          spans={spans}
          unit={SECONDS}
          series={series.seconds}
        />
        <Chart
          title="Failures by reason"
          hint="The package, a product file, or the step of the insert."
          name="failures"
          kind="bars"
          by={by}
          spans={spans}
          unit={COUNT}
          series={series.failures}
        />
        <Chart
          title="Packages received"
          hint={`Size of the packages of each ${by}.`}
          name="received-bytes"
          kind="bars"
          by={by}
          spans={spans}
          unit={BYTES}
          series={series.received}
        />
        <WaitingNow clientId={clientId} />
        <StoredNow clientId={clientId} />
      </div>
      {counted && (
        <p class="muted">
          {by === 'day' ? 'Updated every few minutes, last at' : 'Updated at'} <Time value={counted} />.
        </p>
      )}
    </>
  );
}
