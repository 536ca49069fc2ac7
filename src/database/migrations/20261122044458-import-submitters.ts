import { Migration } from '@mikro-orm/migrations';

/** Whose products an import may bring; null for all, as for imports of before. */
export class Migration20261122044458_import_submitters extends Migration {
  override name = 'Migration20261122044458_import_submitters';

  override up(): void {
    this.addSql(`alter table "zip_import" add column "submitters" jsonb null;`);
  }
}
