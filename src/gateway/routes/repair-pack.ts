/** Download of an import's repair pack. */
import { reasonsText } from '../../contract/reasons.ts';
import { getRepairPack, REPAIR_REASONS } from '../../contract/schemas/import-actions.ts';
import type { ReportedFile } from '../../database/reports/files.ts';
import type { ReportedSubmission } from '../../database/reports/submissions.ts';
import { statusesBefore } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { findImport } from '../ownership.ts';
import { type ImportSource, snapshotOf } from '../presenters/import-source.ts';
import { openKept, requireReadable } from '../requirements.ts';
import { defineRoute } from '../route.ts';
import { csvOf } from '../streams.ts';

/** Estimated memory of a pack, and of the record of one file in it. */
const BYTES_OF_A_PACK = 1024 * 1024;
const BYTES_OF_A_FILE = 256;

export function repairPackRoute({ database, readAudit, productFiles }: GatewayDependencies) {
  return defineRoute({
    ...getRepairPack,
    async handle({ caller, params: { id }, budget }) {
      const record = await findImport(database, caller, id);
      requireReadable(record);
      const source = await snapshotOf(database.reports, budget, id, {
        part: { statuses: statusesBefore('regulator_inserting') },
        besides: (files, submissions) => BYTES_OF_A_PACK + BYTES_OF_A_FILE * (files.failed + submissions),
      });
      const entries: number[] = [];
      let root = '';
      for await (const { entryIndex, path } of filesToRepair(source)) {
        entries.push(entryIndex);
        root = path.slice(0, path.indexOf('/'));
      }
      if (entries.length === 0) {
        const message = `Package import ${id} has no failed product file, or newer submissions of its products have been queued.`;
        throw new HttpError('nothing_to_repair', message, { data: { id } });
      }
      const note = { path: `${root}/${REPAIR_REASONS}`, text: csvOf(COLUMNS, filesToRepair(source)) };
      const pack = { storageKey: record.storageKey, entries, note };
      await readAudit.always(caller, { action: 'import.repair_pack_read', importId: id });
      const stream = await openKept(database, record, () => productFiles.repairPack(pack));
      return { stream, fileName: `repair-pack-${id}.zip` };
    },
  });
}

interface FileToRepair {
  /** Position in the archive. */
  entryIndex: number;
  path: string;
  xml_file: string;
  product_id: string;
  /** Empty if the file did not become a submission. */
  submission_id: number | '';
  outcome: string;
  reason: string;
}

/**
 * The product files that could not be read, were rejected by the regulator or were not queued, in archive order.
 * Superseded submissions and corrected files are left out.
 *
 * @param source with the submissions that have not been inserted
 */
async function* filesToRepair(
  source: Pick<ImportSource, 'files' | 'submissions'>,
): AsyncGenerator<FileToRepair> {
  const submissions = source.submissions()[Symbol.asyncIterator]();
  let submission = await submissions.next();
  const isBefore = (entryIndex: number) => !submission.done && submission.value.entryIndex < entryIndex;
  async function* before(entryIndex: number) {
    for (; isBefore(entryIndex); submission = await submissions.next())
      if (submission.value.offersInsert) yield notInserted(submission.value);
  }
  for await (const file of source.files('repairable')) {
    yield* before(file.entryIndex);
    yield refused(file);
  }
  yield* before(Number.POSITIVE_INFINITY);
}

function refused({ entryIndex, entryPath, xmlFile, productId, reasons }: ReportedFile): FileToRepair {
  return {
    entryIndex,
    path: entryPath,
    xml_file: xmlFile,
    product_id: productId ?? '',
    submission_id: '',
    outcome: 'failed',
    reason: reasonsText(reasons),
  };
}

function notInserted(submission: ReportedSubmission): FileToRepair {
  const { failureReason, queueResult } = submission;
  return {
    entryIndex: submission.entryIndex,
    path: submission.entryPath,
    xml_file: submission.xmlFile,
    product_id: submission.productId,
    submission_id: submission.id,
    outcome: submission.status,
    reason: failureReason ? reasonsText(failureReason) : (queueResult?.message ?? ''),
  };
}

const COLUMNS = ['xml_file', 'product_id', 'submission_id', 'outcome', 'reason'];
