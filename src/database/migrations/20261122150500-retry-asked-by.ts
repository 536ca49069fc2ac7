import { Migration } from '@mikro-orm/migrations';

/** Who has asked for an import to be run again: a person, where it was one of the page. */
export class Migration20261122150500_retry_asked_by extends Migration {
  override name = 'Migration20261122150500_retry_asked_by';

  override up(): void {
    this.addSql(`alter table "import_retry" add "requested_by" varchar(255) null;`);
  }
}
