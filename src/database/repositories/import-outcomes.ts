/** Repository for the outcomes of the files of an import. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { DEFAULT_PAGE, ENTRY_BYTES } from '../../contract/limits.ts';
import { OUTCOMES, type Outcome, QUEUE_STATUS } from '../../contract/statuses.ts';
import type { OutcomeCounts } from '../../contract/types.ts';
import { bytesOf } from '../../domain/notes.ts';
import { anywhere, IS_WARNED, OFFERS_INSERT } from '../conditions.ts';
import { ImportFile, type ImportFileRow } from '../entities/package-import.ts';
import { Submission, type SubmissionRow } from '../entities/submission.ts';
import { type Orm, onSnapshot } from '../orm.ts';
import { statements } from '../statements.ts';
import { bytesInAnswer, offering } from './submissions.ts';

export interface OutcomeFilter {
  importId: number;
  outcome?: Outcome | undefined;
  /** Only submissions with warnings. */
  warned?: boolean | undefined;
  /** Part of the product ID, the file name, the case ID or a reason, case-insensitive. */
  text?: string | undefined;
}

/** A file of the package: a submission, or a file that did not become one. */
export interface ListedOutcome {
  /** `before` of a page that begins after it. Places sort as texts. */
  place: string;
  outcome: Outcome;
  submission: { row: SubmissionRow; offersInsert: boolean } | null;
  file: ImportFileRow | null;
  /** Message of the queue result; null for other outcomes than `not_queued`. */
  queueMessage: string | null;
}

interface PlacedRow extends Pick<ListedOutcome, 'place' | 'outcome' | 'queueMessage'> {
  isSubmission: boolean;
  id: number;
}

export function createImportOutcomeRepository(orm: Orm) {
  return {
    /**
     * A page of outcomes at one moment, after the place `before`. It ends before its limit if its entries are larger than
     * ENTRY_BYTES on average, but never without an entry.
     */
    list(
      filter: OutcomeFilter,
      { limit, before }: { limit: number; before?: string | undefined },
    ): Promise<{ page: ListedOutcome[]; nextBefore: string | null }> {
      return onSnapshot(orm, async (em) => {
        const rows = await statements(em).rows<PlacedRow>`
          select * from (select ${PLACE} as place, files.* from (${filesLike(filter)}) files) placed
           where ${filter.outcome === undefined ? sql`true` : sql`outcome = ${filter.outcome}`}
             and ${before === undefined ? sql`true` : sql`place > ${before}`}
           order by place limit ${limit + 1}
        `;
        const page = await firstBytes(em, rows.slice(0, limit), limit * ENTRY_BYTES);
        return { page, nextBefore: rows.length > page.length ? (page.at(-1)?.place ?? null) : null };
      });
    },

    /** Counts the files of an import. */
    async counts(importId: number): Promise<OutcomeCounts> {
      const rows = await statements(orm.em.fork()).rows<
        { outcome: Outcome; files: number } & Pick<OutcomeCounts, 'warned' | 'retryable'>
      >`
        select outcome, count(*)::int as files, (count(*) filter (where is_warned))::int as warned,
               (count(*) filter (where is_retryable))::int as retryable
          from (
            select ${OF_SUBMISSION} as outcome, ${IS_WARNED} as is_warned, ${OFFERS_INSERT} as is_retryable
              from ${SUBMISSIONS} where s.zip_import_id = ${importId}
            union all
            select ${OF_FILE}, false, false from zip_import_file f where f.zip_import_id = ${importId}) files
         group by outcome
      `;
      const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
      const counts: OutcomeCounts = { by_outcome: none, warned: 0, retryable: 0 };
      for (const { outcome, files, warned, retryable } of rows) {
        counts.by_outcome[outcome] = files;
        counts.warned += warned;
        counts.retryable += retryable;
      }
      return counts;
    },
  };
}

/** Reads the records of the first rows: of so many bytes, but at least one. */
async function firstBytes(em: EntityManager, rows: PlacedRow[], bytes: number): Promise<ListedOutcome[]> {
  const page: ListedOutcome[] = [];
  let left = bytes;
  for (let first = 0; first < rows.length; first += DEFAULT_PAGE)
    for (const row of await withRecords(em, rows.slice(first, first + DEFAULT_PAGE))) {
      left -= bytesOfRow(row);
      if (left < 0 && page.length > 0) return page;
      page.push(row);
    }
  return page;
}

async function withRecords(em: EntityManager, rows: PlacedRow[]): Promise<ListedOutcome[]> {
  const idsOf = (are: 'submissions' | 'files') =>
    rows.filter(({ isSubmission }) => isSubmission === (are === 'submissions')).map(({ id }) => id);
  const submissions = await em.find(Submission, { id: { $in: idsOf('submissions') } });
  const files = await em.find(ImportFile, { id: { $in: idsOf('files') } });
  const offers = await offering(em, submissions);
  const byId = new Map(submissions.map((row) => [row.id, { row, offersInsert: offers.has(row.id) }]));
  return rows.map(({ isSubmission, id, ...row }) => ({
    ...row,
    submission: (isSubmission && byId.get(id)) || null,
    file: (!isSubmission && files.find((file) => file.id === id)) || null,
  }));
}

/** Size in an answer, which shows the reasons of a submission three times. */
function bytesOfRow({ submission, file }: ListedOutcome): number {
  if (submission === null) return bytesOf(file?.reasons ?? []);
  return bytesInAnswer(submission.row) + bytesOf(submission.row.failureReason ?? []);
}

const SUBMISSIONS = sql`submission s left join queue_result q on q.submission_id = s.id`;

/** Outcome of the submission `s` with the queue result `q`. */
const OF_SUBMISSION = sql<Outcome>`case s.status
  when 'regulator_insert_failed' then 'failed'
  when 'regulator_inserting' then 'inserting'
  when 'regulator_inserted' then 'inserted'
  else case when q.status <> ${sql.lit(QUEUE_STATUS.queued)} then 'not_queued' else 'waiting' end end`;

/** Outcome of the file `f`. */
const OF_FILE = sql<Outcome>`case
  when f.kind <> 'product' then 'unreadable' when f.outcome = 'failed' then 'refused' else 'skipped' end`;

/** Place of the row `files`: by outcome, then in archive order. Numbers have a fixed length, so that places sort as texts. */
const PLACE = sql<string>`concat(
    array_position(array[${sql.join(OUTCOMES.map((outcome) => sql.lit(outcome)))}], outcome) - 1,
    '-', lpad(entry_index::text, 10, '0'), case when is_submission then '-s' else '-f' end, lpad(id::text, 16, '0')
  ) collate "C"`;

const QUEUE_MESSAGE = sql<
  string | null
>`case when s.status = 'local' and q.status <> ${sql.lit(QUEUE_STATUS.queued)} then q.message end`;

/** The texts of reasons in one text. @param reasons a column */
const textOf = (reasons: string) => sql`(
  select string_agg(concat_ws(E'\\n', r ->> 'text', r ->> 'path'), E'\\n') from jsonb_array_elements(${sql.ref(reasons)}) r)`;

/** The files of an import that match the texts of a filter. */
function filesLike({ importId, warned = false, text }: OutcomeFilter) {
  const matches = (...texts: RawBuilder<unknown>[]) =>
    text === undefined ? sql`true` : sql`concat_ws(E'\\n', ${sql.join(texts)}) ilike ${anywhere(text)}`;
  const ofSubmission = ['s.product_id', 's.xml_file', 's.case_id'].map((name) => sql.ref(name));
  const ofFile = ['f.product_id', 'f.xml_file'].map((name) => sql.ref(name));
  return sql`
    select true as is_submission, s.id, s.entry_index, ${OF_SUBMISSION} as outcome, ${QUEUE_MESSAGE} as queue_message
      from ${SUBMISSIONS}
     where s.zip_import_id = ${importId} and ${warned ? IS_WARNED : sql`true`}
       and ${matches(...ofSubmission, QUEUE_MESSAGE, textOf('s.failure_reason'))}
    union all
    select false, f.id, f.entry_index, ${OF_FILE}, null from zip_import_file f
     where f.zip_import_id = ${importId} and ${sql.lit(!warned)} and ${matches(...ofFile, textOf('f.reasons'))}
  `;
}
