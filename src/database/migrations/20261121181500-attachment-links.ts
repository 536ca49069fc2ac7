import { Migration } from '@mikro-orm/migrations';

/** Finds the submissions that refer to an attachment: retention asks before it removes one. */
export class Migration20261121181500_attachment_links extends Migration {
  override name = 'Migration20261121181500_attachment_links';

  override up(): void {
    this.addSql(
      `create index "submission_attachment_attachment_row_id_index" on "submission_attachment" ("attachment_row_id");`,
    );
  }
}
