import { Migration } from '@mikro-orm/migrations';

const INDEXES = {
  submission_client_id_id_index: '"submission" ("client_id", "id")',
  submission_status_client_id_id_index: '"submission" ("status", "client_id", "id")',
  zip_import_open_index: '"zip_import" ("id") where "completed_at" is null',
};

/** Submissions that get their client in one transaction. */
const AT_A_TIME = 20_000;

/**
 * The client of a submission beside it, so that lists of a client read an index in their order: those of a client that has
 * long been silent read everything that has come since. The database itself writes it, for old processes too.
 *
 * Not in a transaction: rows are filled and indexes are built beside processes that go on writing. Each statement can be
 * repeated. Ten million rows take some minutes.
 */
export class Migration20261122065312_lists_of_clients extends Migration {
  override name = 'Migration20261122065312_lists_of_clients';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`alter table "submission" add column if not exists "client_id" varchar(255) null;`);
    this.addSql(
      `create or replace function "submission_submission_client_fn"() returns trigger as \$\$ begin new.client_id := (select client_id from zip_import where id = new.zip_import_id); return new; end; \$\$ language plpgsql;`,
    );
    this.addSql(`drop trigger if exists "submission_client" on "submission";`);
    this.addSql(
      `create trigger "submission_client" BEFORE INSERT on "submission" for each ROW execute function "submission_submission_client_fn"();`,
    );
    this.addSql(
      `do \$\$ declare highest int := (select max(id) from submission); begin
         for lowest in 1 .. coalesce(highest, 0) by ${AT_A_TIME} loop
           update submission s set client_id = i.client_id from zip_import i
            where i.id = s.zip_import_id and s.client_id is null and s.id between lowest and lowest + ${AT_A_TIME - 1};
           commit;
         end loop;
       end \$\$;`,
    );
    for (const [name, columns] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists "${name}";`);
      this.addSql(`create index concurrently "${name}" on ${columns};`);
    }
    this.addSql(`drop index concurrently if exists "submission_status_index";`);
  }
}
