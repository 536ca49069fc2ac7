/** One import: its progress, its products, its failures. */
import { useLocation, useRoute } from 'preact-iso';
import { idIn } from '../../../src/contract/limits.ts';
import { reasonText } from '../../../src/contract/reasons.ts';
import type { ImportReport, ImportRetry, ImportSummary } from '../../../src/contract/types.ts';
import { type Loaded, usePolled } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { RetryError } from '../../ui/actions.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { countOf, Notes } from '../../ui/format.tsx';
import { totalOf } from '../../ui/progress.tsx';
import { EmptyState, LoadedContent, Screen } from '../../ui/states.tsx';
import { Messages } from '../webhook/messages.tsx';
import { Actions } from './actions.tsx';
import { Header, momentsOf, TimeLine } from './header.tsx';
import { Products } from './products.tsx';

export default function ImportScreen() {
  const id = idIn(useRoute().params.id ?? '');
  if (id === null)
    return (
      <Screen title="Import">
        <EmptyState title="The ID of an import is a number">
          <ButtonLink href={to('')}>Show the imports</ButtonLink>
        </EmptyState>
      </Screen>
    );
  return <OneImport key={id} id={id} />;
}

const REFUSALS_SHOWN = 200;

function OneImport({ id }: { id: number }) {
  const params = { id };
  const request = { params, query: { view: 'summary' } } as const;
  const summary = usePolled('getPackageImport', request) as Loaded<ImportSummary>;
  const pace = { everyMs: pauseFor(summary.data) };
  const report = usePolled('getPackageImport', { params }, pace) as Loaded<ImportReport>;
  const enabled = summary.data?.retried ?? false;
  const retry = usePolled('getImportRetry', { params, query: { limit: REFUSALS_SHOWN } }, { enabled });
  return (
    <Screen
      title={`Import ${id}`}
      actions={summary.data && <Actions summary={summary.data} report={report.data} />}
    >
      <LoadedContent of={summary}>
        {(shown) => <Content summary={shown} report={report} retry={retry.data} />}
      </LoadedContent>
    </Screen>
  );
}

interface ContentProps {
  summary: ImportSummary;
  report: Loaded<ImportReport>;
  retry: ImportRetry | undefined;
}

function Content({ summary, report, retry }: ContentProps) {
  const { product } = useLocation().query;
  const unreadable = report.data?.zip_import.warnings ?? [];
  return (
    <div class="stack loose">
      {/* The dialog of a product shows the failure itself. */}
      {!product && <RetryError />}
      <Header summary={summary} report={report.data} />
      <TimeLine moments={momentsOf(summary, report.data, retry)} />
      {summary.status !== 'failed' && (
        <LoadedContent of={report}>{(full) => <Products report={full} />}</LoadedContent>
      )}
      {unreadable.length > 0 && (
        <details class="card">
          <summary>{countOf(unreadable.length, 'file')} not read</summary>
          <Notes notes={unreadable.map(reasonText)} />
        </details>
      )}
      {can('getWebhookDeliveries') && <Messages importId={summary.id} />}
    </div>
  );
}

/** Milliseconds. A report of 10,000 products has megabytes, and changes with each product. */
function pauseFor(summary: ImportSummary | undefined): number {
  const products = summary ? totalOf(summary.progress) : 0;
  if (products <= 500) return 2_000;
  return products <= 3_000 ? 6_000 : 20_000;
}
