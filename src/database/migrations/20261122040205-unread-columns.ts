import { Migration } from '@mikro-orm/migrations';

/**
 * Columns that nobody reads are not written any more. They stay while processes of before this migration run beside
 * newer ones, because those write them. The release after this one can drop all five (these four and
 * `zip_import.extracted_xml_files`), and the entities' properties with them: no statement of this release names them.
 *
 * The index is the beginning of another, `zip_import_client_id_id_index`.
 */
export class Migration20261122040205_unread_columns extends Migration {
  override name = 'Migration20261122040205_unread_columns';

  override up(): void {
    this.addSql(`drop index "zip_import_client_id_index";`);
    this.addSql(`alter table "zip_import" alter column "sha256" drop not null;`);
    this.addSql(`alter table "notification" alter column "attempts" drop default;`);
    this.addSql(`alter table "notification" alter column "attempts" drop not null;`);
    this.addSql(`alter table "attachment" alter column "action" drop not null;`);
    this.addSql(`alter table "submission" alter column "submission_type" drop not null;`);
  }
}
