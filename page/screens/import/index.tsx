/** One import: its progress, its products, what failed and why. */
import { useMemo, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { to } from '../../settings.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState, PolledContent } from '../../ui/states.tsx';
import { Actions } from './actions.tsx';
import { Header } from './header.tsx';
import css from './import.module.css';
import { Deliveries } from './messages.tsx';
import { Products } from './products.tsx';
import { Refusal } from './refusal.tsx';
import { momentsOf, TimeLine } from './time-line.tsx';
import { Unreadable } from './unreadable.tsx';
import { type Summary, useImport, type WatchedImport } from './use-import.ts';

export default function ImportScreen() {
  const { id = '' } = useRoute().params;
  if (!/^[1-9]\d{0,9}$/.test(id))
    return (
      <Screen title="Import">
        <EmptyState title="Imports have numbers">
          <ButtonLink href={to('')}>To the imports</ButtonLink>
        </EmptyState>
      </Screen>
    );
  return <OneImport key={id} id={Number(id)} />;
}

function OneImport({ id }: { id: number }) {
  const [hasRetried, setRetried] = useState(false);
  const watched = useImport(id, hasRetried);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const { summary, report, refresh } = watched;
  return (
    <Screen
      title={`Import ${id}`}
      actions={
        summary.data && (
          <Actions
            summary={summary.data}
            report={report.data}
            onChange={refresh}
            onRetried={() => setRetried(true)}
            onRefused={setRefusal}
          />
        )
      }
    >
      <Refusal error={refusal} onClose={() => setRefusal(null)} />
      <PolledContent polled={summary}>
        {(shown) => <Content summary={shown} watched={watched} onRefused={setRefusal} />}
      </PolledContent>
    </Screen>
  );
}

interface ContentProps {
  summary: Summary;
  watched: WatchedImport;
  onRefused(error: ApiError | null): void;
}

function Content({ summary, watched, onRefused }: ContentProps) {
  const { report, retry, deliveries, refresh } = watched;
  const moments = useMemo(
    () => momentsOf(summary, report.data, retry.data),
    [summary, report.data, retry.data],
  );
  const retried = (error: unknown) => {
    onRefused(error === null ? null : asApiError(error));
    refresh();
  };
  return (
    <div class={css.import}>
      <Header summary={summary} report={report.data} />
      <TimeLine moments={moments} />
      {summary.status !== 'failed' && (
        <PolledContent polled={report}>
          {(full) => <Products report={full} onRetried={retried} />}
        </PolledContent>
      )}
      <Unreadable notes={report.data?.zip_import.warnings ?? []} />
      <Deliveries deliveries={deliveries.data?.deliveries ?? []} onChange={refresh} />
    </div>
  );
}
