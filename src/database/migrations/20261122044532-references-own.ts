import { Migration } from '@mikro-orm/migrations';

/** Where deletions and look-ups had to read all submissions. */
const INDEXES = {
  submission_job_id_index: '"submission" ("job_id")',
  submission_submitter_row_id_index: '"submission" ("submitter_row_id")',
};

/** What a reference names stays: taking it away is an error now, where it emptied the reference before. */
const REFERENCES = [
  { table: 'submission', column: 'submitter_row_id', to: 'submitter' },
  { table: 'submission_attachment', column: 'attachment_row_id', to: 'attachment' },
];

/**
 * Not in a transaction: indexes are built, and constraints checked, beside processes that go on writing. Each statement can
 * be repeated, as it has to be where an earlier one ended in the middle; an index that was being built then is there, and
 * is of no use.
 */
export class Migration20261122044532_references_own extends Migration {
  override name = 'Migration20261122044532_references_own';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, columns] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists "${name}";`);
      this.addSql(`create index concurrently "${name}" on ${columns};`);
    }
    for (const { table, column, to } of REFERENCES) {
      const name = `"${table}_${column}_foreign"`;
      this.addSql(
        `alter table "${table}" drop constraint if exists ${name}, add constraint ${name} foreign key ("${column}") references "${to}" ("id") not valid;`,
      );
      this.addSql(`alter table "${table}" validate constraint ${name};`);
    }
  }
}
