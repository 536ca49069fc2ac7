/** What was imported over time, as plots, tables and files. */

import { useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { to } from '../../settings.ts';
import { Field } from '../../ui/field.tsx';
import { Screen } from '../../ui/screen.tsx';
import { PolledContent } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Chart } from './chart.tsx';
import { daysBetween, lastDays, PERIODS } from './period.ts';
import { clientsOf, failureSeries, insertSeries, outcomeSeries, receivedSeries } from './series.ts';
import { BYTES, COUNT, SECONDS } from './units.ts';
import { type PeriodLines, useStatistics } from './use-statistics.ts';
import { WaitingNow } from './waiting.tsx';
import './statistics.css';

const USUAL_DAYS = 30;

export default function StatisticsScreen() {
  const { query, route } = useLocation();
  const days = PERIODS.find((period) => String(period.days) === query.days)?.days ?? USUAL_DAYS;
  const clientId = query.client || null;
  const { from, to: until } = lastDays(days);
  const polled = useStatistics(from, until, clientId);
  const known = useRef<string[]>([]);
  if (polled.data && clientId === null) known.current = clientsOf(polled.data.lines);
  const clients = [...new Set([...known.current, ...(clientId === null ? [] : [clientId])])];

  const choose = (change: { days?: string; client?: string }) => {
    const next = { days: String(days), client: clientId ?? '', ...change };
    route(to(`statistics?${new URLSearchParams(next)}`), true);
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
        {(data) => <Charts data={data} from={from} until={until} clientId={clientId} />}
      </PolledContent>
    </Screen>
  );
}

interface ChartsProps {
  data: PeriodLines;
  from: string;
  until: string;
  clientId: string | null;
}

function Charts({ data: { lines, isCut }, from, until, clientId }: ChartsProps) {
  const days = useMemo(() => daysBetween(from, until), [from, until]);
  const series = useMemo(
    () => ({
      outcomes: outcomeSeries(lines, days),
      seconds: insertSeries(lines, days),
      failures: failureSeries(lines, days),
      received: receivedSeries(lines, days),
    }),
    [lines, days],
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
          There are more clients and days than this page loads: the oldest days are missing. Choose a client
          or a shorter time.
        </div>
      )}
      <div class="charts">
        <Chart
          {...{ title: 'Products by day', name: 'products', kind: 'bars', days, unit: COUNT }}
          hint="By the day of the upload, UTC: what has become of them until now."
          series={series.outcomes}
        />
        <Chart
          {...{
            title: 'Time until inserted',
            name: 'time-until-inserted',
            kind: 'lines',
            days,
            unit: SECONDS,
          }}
          hint={
            several
              ? 'From reading a product to its being inserted; of each day, the client that waited longest.'
              : 'From reading a product to its being inserted.'
          }
          series={series.seconds}
        />
        <Chart
          {...{ title: 'Failures by reason', name: 'failures', kind: 'bars', days, unit: COUNT }}
          hint="Where it failed: the package, a product file, or the step of the insert."
          series={series.failures}
        />
        <Chart
          {...{ title: 'Packages received', name: 'received-bytes', kind: 'bars', days, unit: BYTES }}
          hint="Size of the packages of each day, kept until retention removes them."
          series={series.received}
        />
        <WaitingNow clientId={clientId} />
      </div>
      {counted && (
        <p class="muted">
          Counted every few minutes, last at <Time value={counted} />.
        </p>
      )}
    </>
  );
}
