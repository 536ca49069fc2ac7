import { Migration } from '@mikro-orm/migrations';

/** Lists of imports, newest first, each read in the order of an index; and which imports have failures. */
const INDEXES = {
  zip_import_uploaded_at_id_index: '"zip_import" ("uploaded_at", "id")',
  zip_import_client_id_uploaded_at_id_index: '"zip_import" ("client_id", "uploaded_at", "id")',
  zip_import_status_uploaded_at_id_index: '"zip_import" ("status", "uploaded_at", "id")',
  zip_import_client_id_status_uploaded_at_id_index: '"zip_import" ("client_id", "status", "uploaded_at", "id")',
  zip_import_file_refused_index:
    '"zip_import_file" ("zip_import_id") where "kind" = \'product\' and "outcome" = \'failed\'',
  submission_not_inserted_index:
    '"submission" ("zip_import_id", left("product_id", 5)) where "status" in (\'local\', \'regulator_insert_failed\')',
};

/**
 * What statistics are read from (architecture §statistics-are-rolled-up).
 *
 * Not in a transaction: indexes are built beside processes that go on writing. Each statement can be repeated. The index
 * that goes is the beginning of another.
 */
export class Migration20261122080100_lists_and_statistics extends Migration {
  override name = 'Migration20261122080100_lists_and_statistics';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create table if not exists "daily_statistics" ("day" date not null, "client_id" varchar(255) not null, "imports" jsonb not null, "products" jsonb not null, "failures" jsonb not null, "insert_p50_seconds" double precision null, "insert_p95_seconds" double precision null, primary key ("day", "client_id"));`,
    );
    this.addSql(
      `create index if not exists "daily_statistics_client_id_day_index" on "daily_statistics" ("client_id", "day");`,
    );
    this.addSql(
      `create table if not exists "statistics_day" ("day" date not null, "counted_at" timestamptz(3) not null, primary key ("day"));`,
    );
    for (const [name, columns] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists "${name}";`);
      this.addSql(`create index concurrently "${name}" on ${columns};`);
    }
    this.addSql(`drop index concurrently if exists "zip_import_status_index";`);
  }
}
