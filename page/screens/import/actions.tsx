/** Actions of the import as a whole, and its files. */
import { useState } from 'preact/hooks';
import type { ProtectedOperationId } from '../../../src/contract/operations.ts';
import { call, saveFile } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { countOf, formatNumber } from '../../ui/format.ts';
import type { Action } from '../../ui/use-action.ts';
import css from './import.module.css';
import type { Report } from './rows.ts';
import type { Summary } from './use-import.ts';

export type Work = () => Promise<unknown>;

interface ActionsProps {
  summary: Summary;
  report: Report | undefined;
  action: Action<[Work]>;
  /** Called when all remaining products are queued again. */
  onRetried(): void;
}

export function Actions({ summary, report, action, onRetried }: ActionsProps) {
  const [asksToCancel, askToCancel] = useState(false);
  const { id, actions, progress } = summary;
  const left = progress.local + progress.regulator_insert_failed;
  const retry = () => call('postImportRetry', { params: { id } }).then(onRetried);
  const cancel = () => call('postImportCancellation', { params: { id } });
  return (
    <div class={css.actions}>
      {actions.includes('regulator-insert') && can('postImportRetry') && (
        <Button kind="primary" busy={action.busy} onClick={() => void action.run(retry)}>
          Retry all {formatNumber(left)}
        </Button>
      )}
      {actions.includes('cancel') && can('postImportCancellation') && (
        <Button kind="danger" onClick={() => askToCancel(true)}>
          Cancel import
        </Button>
      )}
      <Files id={id} report={report} action={action} />
      {asksToCancel && (
        <CancelDialog
          summary={summary}
          onClose={() => askToCancel(false)}
          onConfirm={() => {
            askToCancel(false);
            void action.run(cancel);
          }}
        />
      )}
    </div>
  );
}

function Files({ id, report, action }: { id: number; report: Report | undefined; action: Action<[Work]> }) {
  const hasRefused = (report?.zip_import.failed.length ?? 0) > 0;
  const files: { label: string; name: string; operation: ProtectedOperationId }[] = [
    { label: 'Products as CSV', name: `import-${id}-products.csv`, operation: 'getImportProductsCsv' },
    {
      label: 'Refused and skipped files as CSV',
      name: `import-${id}-files.csv`,
      operation: 'getImportFilesCsv',
    },
    { label: 'Full report as JSON', name: `import-${id}.json`, operation: 'getPackageImport' },
  ];
  if (hasRefused)
    files.push({
      label: 'Repair pack with the refused files',
      name: `repair-pack-${id}.zip`,
      operation: 'getRepairPack',
    });
  return (
    <details class={css.menu}>
      <summary class="button">Download</summary>
      <ul>
        {files
          .filter(({ operation }) => can(operation))
          .map(({ label, name, operation }) => (
            <li key={name}>
              <Button
                kind="quiet"
                onClick={(event) => {
                  event.currentTarget.closest('details')?.removeAttribute('open');
                  void action.run(() => saveFile(operation, { params: { id } }, name));
                }}
              >
                {label}
              </Button>
            </li>
          ))}
      </ul>
    </details>
  );
}

interface CancelDialogProps {
  summary: Summary;
  onClose(): void;
  onConfirm(): void;
}

/** Names the consequences (interface §10) before the import is cancelled. */
export function CancelDialog({ summary: { id, progress }, onClose, onConfirm }: CancelDialogProps) {
  const { regulator_inserted: inserted, regulator_inserting: inserting } = progress;
  return (
    <Dialog
      title={`Cancel import ${id}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep running</Button>
          <Button kind="danger" onClick={onConfirm}>
            Cancel import
          </Button>
        </>
      }
    >
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
    </Dialog>
  );
}
