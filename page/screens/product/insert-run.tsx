/** The run that brings a submission to the regulator, where operators see it. */
import type { ProductSubmission as Submission } from '../../../src/contract/types.ts';
import { can } from '../../auth/permissions.ts';
import { workflowUrl } from '../../settings.ts';

/** As the service names the workflow of an insert (`insertWorkflowId` in src/domain/ids.ts, compared by a test). */
export const insertWorkflowOf = (productId: string): string => `regulator-insert-${productId}`;

/** A link to the last run; only its id where nobody knows the Temporal Web UI, or the person is no operator. */
export function InsertRun({ of: { product_id, job_id } }: { of: Submission }) {
  if (job_id === null) return <span class="muted">never run</span>;
  const url = can('getAuditEvents') ? workflowUrl(insertWorkflowOf(product_id), job_id) : null;
  if (url === null) return <code>{job_id}</code>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <code>{job_id}</code>
      <span class="hidden-text"> in the Temporal Web UI, in a new window</span>
    </a>
  );
}
