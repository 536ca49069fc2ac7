/** What can be done with the import as a whole, and its files. */
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { api, dataOf, saveFile } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { CancelDialog } from './cancel-dialog.tsx';
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
  const retry = () =>
    dataOf(
      api.POST('/regulator/package-imports/{id}/actions/regulator-insert', { params: { path: { id } } }),
    ).then(onRetried);
  const cancel = () =>
    dataOf(api.POST('/regulator/package-imports/{id}/actions/cancel', { params: { path: { id } } }));

  return (
    <div class="import-actions">
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
      <Files id={id} report={report} save={(path, name) => void attempt(() => saveFile(path, name))} />
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
  save(path: string, name: string): void;
}

function Files({ id, report, save }: FilesProps) {
  const path = `/regulator/package-imports/${id}`;
  const hasRefused = (report?.zip_import.failed.length ?? 0) > 0;
  const files = [
    {
      label: 'Products as CSV',
      path: `${path}/products.csv`,
      name: `import-${id}-products.csv`,
      needs: can('getImportProductsCsv'),
    },
    {
      label: 'Refused and skipped files as CSV',
      path: `${path}/files.csv`,
      name: `import-${id}-files.csv`,
      needs: can('getImportFilesCsv'),
    },
    { label: 'Everything as JSON', path, name: `import-${id}.json`, needs: can('getPackageImport') },
    {
      label: 'Repair pack: the refused files',
      path: `${path}/repair-pack`,
      name: `repair-pack-${id}.zip`,
      needs: hasRefused && can('getRepairPack'),
    },
  ];
  return (
    <details class="menu">
      <summary class="button">Download</summary>
      <ul>
        {files
          .filter(({ needs }) => needs)
          .map((file) => (
            <li key={file.name}>
              <Button
                kind="quiet"
                onClick={(event) => {
                  event.currentTarget.closest('details')?.removeAttribute('open');
                  save(file.path, file.name);
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
