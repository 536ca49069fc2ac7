/** One import: its progress, its products, its failures. */
import { useRoute } from 'preact-iso';
import { idIn } from '../../../src/contract/limits.ts';
import type { ImportRetry, ImportSummary } from '../../../src/contract/types.ts';
import { type Loaded, usePolled } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { RetryError } from '../../ui/actions.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, LoadedContent, Screen } from '../../ui/states.tsx';
import { Messages } from '../webhook/messages.tsx';
import { Actions } from './actions.tsx';
import { Header, momentsOf, TimeLine } from './header.tsx';
import { type ListedOutcomes, Products, useOutcomes } from './products.tsx';

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
  const outcomes = useOutcomes(id);
  const enabled = summary.data?.retried ?? false;
  const retry = usePolled('getImportRetry', { params, query: { limit: REFUSALS_SHOWN } }, { enabled });
  return (
    <Screen
      title={`Import ${id}`}
      actions={summary.data && <Actions summary={summary.data} counts={outcomes.counts} />}
    >
      <LoadedContent of={summary}>
        {(shown) => <Content summary={shown} outcomes={outcomes} retry={retry.data} />}
      </LoadedContent>
    </Screen>
  );
}

interface ContentProps {
  summary: ImportSummary;
  outcomes: ListedOutcomes;
  retry: ImportRetry | undefined;
}

function Content({ summary, outcomes, retry }: ContentProps) {
  return (
    <div class="stack loose">
      {/* The dialog of a product shows the failure itself. */}
      {!outcomes.product && <RetryError />}
      <Header summary={summary} counts={outcomes.counts} />
      <TimeLine moments={momentsOf(summary, retry)} />
      {summary.status !== 'failed' && <Products of={outcomes} isOver={summary.completed_at !== null} />}
      {can('getWebhookDeliveries') && <Messages importId={summary.id} />}
    </div>
  );
}
