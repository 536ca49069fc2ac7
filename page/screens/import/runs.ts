/** Where operators find the runs of an import in the Temporal Web UI. */
import { can } from '../../auth/permissions.ts';
import { settings, workflowUrl } from '../../settings.ts';
import type { Submission } from './rows.ts';

/** The run that inserts a submission, or did; null where there is none, or nothing is known of the Web UI. */
export function runUrl({ product_id, job_id }: Pick<Submission, 'product_id' | 'job_id'>): string | null {
  return job_id === null || !mayLook() ? null : workflowUrl(`regulator-insert-${product_id}`, job_id);
}

/** Every run of an import: its own and its inserts. Both carry its number (docs/web-ui.md). */
export function runsUrl(importId: number): string | null {
  const { temporal } = settings();
  if (temporal === null || !mayLook()) return null;
  const query = encodeURIComponent(`PackageImportId=${importId}`);
  return `${temporal.ui_url.replace(/\/$/, '')}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows?query=${query}`;
}

/** The Web UI is for operators. */
const mayLook = (): boolean => can('getInserting');
