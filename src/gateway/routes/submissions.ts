/** Lists and reads submissions, starts the insert of one, and returns its product file as it was sent. */
import { createGunzip } from 'node:zlib';
import {
  getProduct,
  getSubmission,
  getSubmissions,
  getSubmissionXml,
  postSubmissionAction,
} from '../../contract/schemas/submissions.ts';
import { INSERT_PROCESS, QUEUE_STATUS } from '../../contract/statuses.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import type { SubmissionRow } from '../../database/entities/submission.ts';
import { NotFound } from '../../domain/client-errors.ts';
import { fairnessOfClient, fairnessOfInserts } from '../../domain/start-options.ts';
import { changedSections } from '../../domain/steps.ts';
import { isRunnable } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { listedFor, requireOwned } from '../ownership.ts';
import { presentQueueResult, presentSubmission } from '../presenters/submission.ts';
import { READ_BYTES } from '../quotas/read-budgets.ts';
import { requireSession } from '../requirements.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';

export function submissionRoutes({ database, readAudit, startInsert, sessions }: GatewayDependencies) {
  /** @param action what the audit trail says of the read */
  async function find(caller: Caller, id: number, action = 'submission.read') {
    const found = await database.submissions.find(id);
    if (!found) throw new NotFound('Submission', id);
    const { submission, offersInsert } = found;
    const importId = submission.packageImport;
    const record = requireOwned(caller, await database.imports.find(importId), 'Submission', id);
    await readAudit.note(caller, record.tenant, { action, importId, submissionId: id });
    return { submission, offersInsert, record };
  }

  return [
    defineRoute({
      ...getSubmissions,
      async handle({ caller, query: { limit, before, import_id, product_id, case_id, job_id, status } }) {
        const { tenant } = listedFor(caller);
        const ofProduct = { importId: import_id, productId: product_id };
        const filter = { ...ofProduct, tenant, status, caseId: case_id, jobId: job_id };
        const { page, nextBefore } = await database.submissions.list(filter, { limit, before });
        await readAudit.note(caller, null, { action: 'submission.list_read' });
        const offering = await database.submissions.offeringInsert(page);
        const submissions = page.map((row) => presentSubmission(row, offering.has(row.id)));
        return { message: 'Submissions.', data: { submissions, next_before: nextBefore } };
      },
    }),
    defineRoute({
      ...getSubmission,
      async handle({ caller, params: { id } }) {
        const { submission, offersInsert } = await find(caller, id);
        return { message: 'Submission.', data: presentSubmission(submission, offersInsert) };
      },
    }),
    defineRoute({
      ...postSubmissionAction,
      async handle({ caller, params: { id } }) {
        await requireSession(sessions, 'products are inserted');
        const { submission: row, offersInsert, record } = await find(caller, id);
        // The answer to the start names the insert that is under way.
        if (row.status !== 'regulator_inserting' && !offersInsert) throw notAvailable(row, record);
        const { fairnessKey } = fairnessOfClient(caller.clientId).priority;
        const fairness = fairnessOfInserts(fairnessKey, 1);
        const insert = { importId: row.packageImport, submissionId: id, productId: row.productId, fairness };
        const result = await startInsert(insert, caller.actor);
        const data = presentQueueResult({ ...result, submission: id }, row.comment ?? null);
        if (result.status === QUEUE_STATUS.queued) return { message: result.message, data };
        const code = result.status === QUEUE_STATUS.alreadyQueued ? 'already_queued' : 'not_started';
        throw new HttpError(code, result.message, { data });
      },
    }),
    defineRoute({
      ...getSubmissionXml,
      async handle({ caller, params: { id }, budget }) {
        const { submission, record } = await find(caller, id, 'submission.xml_read');
        await budget.reserve(READ_BYTES + ((await database.submissions.gzippedXmlBytes(id)) ?? 0));
        const gzip = await database.submissions.gzippedXml(id);
        if (gzip === null) throw xmlRemoved(id, record.archiveRemovedAt ?? null);
        const stream = createGunzip();
        stream.end(gzip);
        return { stream, fileName: submission.xmlFile };
      },
    }),
    defineRoute({
      ...getProduct,
      async handle({ caller, params: { product_id }, query: { limit, before } }) {
        const { tenant } = listedFor(caller);
        const filter = { tenant, productId: product_id };
        const { page, next, nextBefore } = await database.submissions.list(filter, { limit, before });
        if (page.length === 0 && before === undefined) throw new NotFound('Product', product_id);
        await readAudit.note(caller, null, { action: 'product.read', detail: { product_id } });
        const offering = await database.submissions.offeringInsert(page);
        const submissions = page.map((row, index) => {
          const older = page[index + 1] ?? next;
          return {
            ...presentSubmission(row, offering.has(row.id)),
            changed_sections: older ? changedSections(older.sectionHashes, row.sectionHashes) : null,
          };
        });
        return { message: 'Product.', data: { product_id, submissions, next_before: nextBefore } };
      },
    }),
  ];
}

/** The error of a submission that offers no insert. */
function notAvailable(
  { id, status }: SubmissionRow,
  { status: ofImport, readAt }: PackageImportRow,
): HttpError {
  const isRead = ofImport !== 'extracting' || readAt != null;
  const runnable = isRead
    ? 'a newer submission of the product has been queued'
    : 'its package is still being read. Wait for the answer to its upload';
  const why = isRunnable(status) ? runnable : `it is ${status}`;
  const message = `${INSERT_PROCESS} cannot be run on submission ${id}: ${why}.`;
  return new HttpError('action_not_available', message);
}

/** @param at null while retention is removing the import: it removes the product files before the package */
function xmlRemoved(submissionId: number, at: Date | null): HttpError {
  const when = at === null ? 'has been removed' : `was removed on ${at.toISOString().slice(0, 10)}`;
  return new HttpError(
    'package_removed',
    `The product file of submission ${submissionId} ${when}. Export it again.`,
  );
}
