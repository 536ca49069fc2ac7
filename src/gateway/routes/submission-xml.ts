/** Download of the product file that a submission was made from, as it was sent. It helps to diagnose a failure. */

import { Readable } from 'node:stream';
import { getSubmissionXml } from '../../contract/schemas/submissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { ownedSubmission } from '../ownership.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';

export function submissionXmlRoute({ database }: Pick<GatewayDependencies, 'database'>) {
  const reads = createReadTrail(database.auditTrail);
  return defineRoute({
    ...getSubmissionXml,
    async handle({ caller, params: { id } }) {
      const found = (await database.submissions.find(id))?.submission ?? null;
      const record = found ? await database.imports.find(found.packageImport) : null;
      const submission = ownedSubmission(caller, { submission: found, record }, id);
      const read = { action: 'submission.xml_read', importId: submission.packageImport, submissionId: id };
      await reads.note(caller, record?.clientId ?? null, read);
      const xml = await database.submissions.rawXml(id);
      if (xml === null) throw removed(id, record?.archiveRemovedAt ?? null);
      return { stream: Readable.from([xml]), fileName: submission.xmlFile };
    },
  });
}

/** @param at null while retention is removing the import: it removes the product files before the package */
function removed(submissionId: number, at: Date | null): HttpError {
  const when = at === null ? 'has been removed' : `was removed on ${at.toISOString().slice(0, 10)}`;
  return new HttpError(
    'package_removed',
    `The product file of submission ${submissionId} ${when}. Export it again.`,
  );
}
