/** What can be done with the import as a whole, and its files. */
import { useState } from 'preact/hooks';
import type { ProtectedOperationId } from '../../../src/contract/operations.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call, saveFile } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { CancelDialog } from './cancel-dialog.tsx';
import css from './import.module.css';
import type { Report } from './rows.ts';
import type { Summary } from './use-import.ts';

interface ActionsProps {
  summary: Summary;
  report: Report | undefined;
  onChange(): void;
  /** Everything that was left is being run again. */
  onRetried(): void;
  onRefused(error: ApiError | null): void;
}

export function Actions({ summary, report, onChange, onRetried, onRefused }: ActionsProps) {
  const [busy, setBusy] = useState(false);
  const [asksToCancel, askToCancel] = useState(false);
  const { id, actions, progress } = summary;
  const left = progress.local + progress.regulator_insert_failed;

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    onRefused(null);
    try {
      await work();
    } catch (error) {
      onRefused(asApiError(error));
    } finally {
      setBusy(false);
      onChange();
    }
  }
  const retry = () => call('postImportRetry', { params: { id } }).then(onRetried);
  const cancel = () => call('postImportCancellation', { params: { id } });

  return (
    <div class={css.importActions}>
      {actions.includes('regulator-insert') && can('postImportRetry') && (
        <Button kind="primary" busy={busy} onClick={() => void attempt(retry)}>
          Retry all {formatNumber(left)}
        </Button>
      )}
      {actions.includes('cancel') && can('postImportCancellation') && (
        <Button kind="danger" onClick={() => askToCancel(true)}>
          Cancel import
        </Button>
      )}
      <Files
        id={id}
        report={report}
        save={(operation, name) => void attempt(() => saveFile(operation, { params: { id } }, name))}
      />
      {asksToCancel && (
        <CancelDialog
          summary={summary}
          onClose={() => askToCancel(false)}
          onConfirm={() => {
            askToCancel(false);
            void attempt(cancel);
          }}
        />
      )}
    </div>
  );
}

interface FilesProps {
  id: number;
  report: Report | undefined;
  save(operation: ProtectedOperationId, name: string): void;
}

function Files({ id, report, save }: FilesProps) {
  const hasRefused = (report?.zip_import.failed.length ?? 0) > 0;
  const files: { label: string; operation: ProtectedOperationId; name: string; isThere?: boolean }[] = [
    { label: 'Products as CSV', operation: 'getImportProductsCsv', name: `import-${id}-products.csv` },
    {
      label: 'Refused and skipped files as CSV',
      operation: 'getImportFilesCsv',
      name: `import-${id}-files.csv`,
    },
    { label: 'Everything as JSON', operation: 'getPackageImport', name: `import-${id}.json` },
    {
      label: 'Repair pack: the refused files',
      operation: 'getRepairPack',
      name: `repair-pack-${id}.zip`,
      isThere: hasRefused,
    },
  ];
  return (
    <details class={css.menu}>
      <summary class="button">Download</summary>
      <ul>
        {files
          .filter(({ operation, isThere = true }) => isThere && can(operation))
          .map((file) => (
            <li key={file.name}>
              <Button
                kind="quiet"
                onClick={(event) => {
                  event.currentTarget.closest('details')?.removeAttribute('open');
                  save(file.operation, file.name);
                }}
              >
                {file.label}
              </Button>
            </li>
          ))}
      </ul>
    </details>
  );
}
