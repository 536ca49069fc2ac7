/** One import: its progress, its products, its failures. */
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { idIn } from '../../../src/contract/limits.ts';
import type { ProtectedOperationId } from '../../../src/contract/operations.ts';
import { reasonText } from '../../../src/contract/reasons.ts';
import { type ApiError, call, saveFile } from '../../api/client.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { useAction } from '../../ui/actions.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { countOf, Notes } from '../../ui/format.tsx';
import { ActionError, EmptyState, LoadedContent, Screen } from '../../ui/states.tsx';
import { Messages } from '../webhook/messages.tsx';
import { Actions } from './actions.tsx';
import { Header, momentsOf, TimeLine } from './header.tsx';
import { type Summary, useImport, type WatchedImport } from './import-data.ts';
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

function OneImport({ id }: { id: number }) {
  const [hasRetried, setRetried] = useState(false);
  const watched = useImport(id, hasRetried);
  const { summary, report } = watched;
  const retry = useAction(async () => {
    await call('postImportRetry', { params: { id } });
    setRetried(true);
  });
  // A package of 2 GB takes minutes.
  const download = useAction((operation: ProtectedOperationId, fileName: string) =>
    saveFile(operation, { params: { id } }, fileName),
  );
  return (
    <Screen
      title={`Import ${id}`}
      actions={
        summary.data && (
          <Actions summary={summary.data} report={report.data} retry={retry} download={download} />
        )
      }
    >
      <ActionError error={retry.error} onClose={retry.clear} />
      <ActionError error={download.error} onClose={download.clear} />
      <LoadedContent of={summary}>{(shown) => <Content summary={shown} watched={watched} />}</LoadedContent>
    </Screen>
  );
}

function Content({ summary, watched }: { summary: Summary; watched: WatchedImport }) {
  const { report, retry } = watched;
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const unreadable = report.data?.zip_import.warnings ?? [];
  return (
    <div class="stack loose">
      <ActionError error={refusal} onClose={() => setRefusal(null)} />
      <Header summary={summary} report={report.data} />
      <TimeLine moments={momentsOf(summary, report.data, retry.data)} />
      {summary.status !== 'failed' && (
        <LoadedContent of={report}>
          {(full) => <Products report={full} onRetried={setRefusal} />}
        </LoadedContent>
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
