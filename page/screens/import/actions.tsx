/** Actions of the import as a whole, and its files. */
import { useId } from 'preact/hooks';
import type { ProtectedOperationId } from '../../../src/contract/operations.ts';
import type { ImportSummary, OutcomeCounts } from '../../../src/contract/types.ts';
import { call, saveFile } from '../../api/client.ts';
import { can } from '../../auth/login.ts';
import { ActionButton, ActionError, useAction } from '../../ui/actions.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { countOf } from '../../ui/format.tsx';
import css from './import.module.css';

interface ActionsProps {
  summary: ImportSummary;
  /** Null before the first answer. */
  counts: OutcomeCounts | null;
}

export function Actions({ summary, counts }: ActionsProps) {
  const { id, actions, progress, refused } = summary;
  const left = actions.includes('regulator-insert') ? (counts?.retryable ?? 0) : 0;
  return (
    <div class="cluster">
      <ActionButton
        kind="primary"
        offered={left > 0 && can('postImportRetry')}
        action={() => call('postImportRetry', { params: { id } })}
      >
        Retry {countOf(left, 'product')}
      </ActionButton>
      {actions.includes('cancel') && can('postImportCancellation') && (
        <ConfirmButton
          label="Cancel import"
          kind="danger"
          question={`Cancel import ${id}?`}
          keep="Keep running"
          onConfirm={() => call('postImportCancellation', { params: { id } })}
        >
          <CancelConsequences progress={progress} />
        </ConfirmButton>
      )}
      <Files id={id} hasFailed={refused + left > 0} />
    </div>
  );
}

/** Names the consequences of a cancellation (interface §10). */
export function CancelConsequences({ progress }: Pick<ImportSummary, 'progress'>) {
  const { regulator_inserted: inserted, regulator_inserting: inserting } = progress;
  return (
    <ul class="bullets">
      <li>{countOf(inserted, 'inserted product stays', 'inserted products stay')} with the regulator.</li>
      <li>
        {countOf(inserting, 'running insert finishes its', 'running inserts finish their')} current call and
        then {inserting === 1 ? 'fails' : 'fail'}.
      </li>
      <li>The remaining products are not queued.</li>
      <li>The summary mail is sent and names the person who cancelled.</li>
      <li>You can retry the remaining products later.</li>
    </ul>
  );
}

function Files({ id, hasFailed }: { id: number; hasFailed: boolean }) {
  // A package of 2 GB takes minutes.
  const download = useAction((operation: ProtectedOperationId, fileName: string) =>
    saveFile(operation, { params: { id } }, fileName),
  );
  const menu = useId();
  const files: [label: string, name: string, operation: ProtectedOperationId][] = [
    ['Products as CSV', `import-${id}-products.csv`, 'getImportProductsCsv'],
    ['Refused and skipped files as CSV', `import-${id}-files.csv`, 'getImportFilesCsv'],
    ['Full report as JSON', `import-${id}.json`, 'getPackageImport'],
    ['Package as it was uploaded', `package-${id}.zip`, 'getOriginalPackage'],
  ];
  if (hasFailed) files.push(['Repair pack with the failed files', `repair-pack-${id}.zip`, 'getRepairPack']);
  return (
    <>
      <Button popoverTarget={menu}>{download.busy ? 'Downloading …' : 'Download'}</Button>
      <ul id={menu} popover="auto" class={css.menu}>
        {files
          .filter(([, , operation]) => can(operation))
          .map(([label, name, operation]) => (
            <li key={name}>
              <Button
                kind="quiet"
                popoverTarget={menu}
                popoverTargetAction="hide"
                onClick={() => void download.run(operation, name)}
              >
                {label}
              </Button>
            </li>
          ))}
      </ul>
      <ActionError error={download.error} />
    </>
  );
}
