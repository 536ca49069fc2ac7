/** Numbers of open work, for metrics. Each is read from an index of open records. */
import type { SubmissionStatus } from '../../contract/statuses.ts';
import { zeroStatusCounts } from '../../domain/submission.ts';
import type { WorkFigures } from '../../domain/work-figures.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';

export function createWorkFigureRepository(orm: Orm) {
  return {
    async read(): Promise<WorkFigures> {
      const [[row], statuses] = await Promise.all([
        query<Omit<WorkFigures, 'submissions'>>(orm, FIGURES, []),
        query<{ status: SubmissionStatus; count: number }>(orm, SUBMISSIONS, []),
      ]);
      if (!row) throw new Error('the database gave no figures');
      const counted = Object.fromEntries(statuses.map(({ status, count }) => [status, count]));
      return { ...row, submissions: { ...zeroStatusCounts(), ...counted } };
    },

    /** Bytes of the stored ZIPs and attachments. It reads an index entry per ZIP: too expensive for every scrape. */
    async stored(): Promise<{ bytes: number }> {
      const [row] = await query<{ bytes: number }>(orm, STORED, []);
      return { bytes: row?.bytes ?? 0 };
    },
  };
}

const FIGURES = `select
  (select count(*)::int from zip_import where completed_at is null) as "unfinishedImports",
  (select coalesce(extract(epoch from clock_timestamp() - min(uploaded_at)), 0)::float8
     from zip_import where completed_at is null) as "oldestUnfinishedS",
  (select count(*)::int from regulator_slot where slot > 0 and expires_at > clock_timestamp()) as "regulatorSlots"`;
const STORED = `select coalesce(sum(size_bytes + attachment_bytes), 0)::float8 as bytes
  from zip_import where archive_removed_at is null`;
const SUBMISSIONS = `select s.status, count(*)::int as count
  from zip_import i join submission s on s.zip_import_id = i.id where i.completed_at is null group by s.status`;
