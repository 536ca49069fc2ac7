/** Lists and reads submissions, and starts the insert of one. */
import { getSubmission, getSubmissions, postSubmissionAction } from '../../contract/schemas/submissions.ts';
import { INSERT_PROCESS, QUEUE_STATUS } from '../../contract/statuses.ts';
import { turnOfClient, turnOfInserts } from '../../domain/fair-turns.ts';
import { actionsOf } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { pageOf } from '../links.ts';
import { requireSession } from '../middleware/require-session.ts';
import { isOperator, ownedSubmission, visibleSubmitters } from '../ownership.ts';
import { presentQueueResult, presentSubmission } from '../presenters/submission.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/authenticate.ts';

export function submissionRoutes({ database, startInsert, sessions }: GatewayDependencies) {
  const reads = createReadTrail(database.auditTrail);

  async function find(caller: Caller, id: number) {
    const found = await database.submissions.find(id);
    const record = found ? await database.imports.find(found.submission.packageImport) : null;
    const submission = ownedSubmission(caller, { submission: found?.submission ?? null, record }, id);
    const read = { action: 'submission.read', importId: submission.packageImport, submissionId: id };
    await reads.note(caller, record?.clientId ?? null, read);
    return { submission, superseded: found?.superseded ?? false };
  }

  return [
    defineRoute({
      ...getSubmissions,
      async handle({ caller, query: { limit, before, import_id, product_id, status } }) {
        const clientId = isOperator(caller) ? undefined : caller.clientId;
        const submitters = visibleSubmitters(caller);
        const filter = { clientId, submitters, importId: import_id, productId: product_id, status };
        const rows = await database.submissions.list(filter, { limit: limit + 1, before });
        const { page, next_before } = pageOf(rows, limit);
        await reads.note(caller, null, { action: 'submission.list_read' });
        const superseded = await database.submissions.superseded(page);
        const submissions = page.map((row) => presentSubmission(row, superseded.has(row.id)));
        return {
          message: 'Submissions.',
          data: { submissions, next_before },
        };
      },
    }),
    defineRoute({
      ...getSubmission,
      async handle({ caller, params: { id } }) {
        const { submission: row, superseded } = await find(caller, id);
        return { message: 'Submission.', data: presentSubmission(row, superseded) };
      },
    }),
    defineRoute({
      ...postSubmissionAction,
      before: [requireSession(sessions)],
      async handle({ caller, params: { id }, state }) {
        const { submission: row, superseded } = await find(caller, id);
        if (
          row.status !== 'regulator_inserting' &&
          !actionsOf({ status: row.status, superseded }).includes(INSERT_PROCESS)
        ) {
          const why = superseded
            ? 'a newer submission of the product has been queued'
            : `it is ${row.status}`;
          throw new HttpError(
            'action_not_available',
            `${INSERT_PROCESS} cannot be run on submission ${id}: ${why}.`,
          );
        }
        const { fairnessKey } = turnOfClient(caller.clientId).priority;
        const turn = turnOfInserts(fairnessKey, 1);
        const insert = { importId: row.packageImport, submissionId: id, productId: row.productId, turn };
        const result = await startInsert(insert, caller.actor);
        const data = presentQueueResult({ ...result, submission: id }, row.comment ?? null);
        if (result.status === QUEUE_STATUS.queued) return { message: result.message, data };
        const code = result.status === QUEUE_STATUS.alreadyQueued ? 'already_queued' : 'not_started';
        state.errorCode = code;
        return { status: result.status, message: result.message, data: { ...data, code } };
      },
    }),
  ];
}
