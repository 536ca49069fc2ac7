/** The workflows with a change that running ones do not survive: the first two steps have changed places. */

import { workflowInfo } from '@temporalio/workflow';
import { records, steps } from '../../workflows/activity-proxies.ts';
import type { RegulatorInsertInput } from '../../workflows/messages.ts';

export { packageImport as 'package-import' } from '../../workflows/package-import.ts';
export { changedInsert as 'regulator-insert' };

async function changedInsert({ submissionId }: RegulatorInsertInput): Promise<void> {
  const { runId } = workflowInfo();
  await records.beginInsert({ submissionId, runId });
  await steps.product_details({ submissionId });
  await steps.init_validate({ submissionId });
}
