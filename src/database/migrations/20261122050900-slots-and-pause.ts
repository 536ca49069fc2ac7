import { Migration } from '@mikro-orm/migrations';

/**
 * Slots for calls to the regulator are leased in a table: advisory locks end with a connection, not with a machine that
 * vanishes. Nothing is lost with them, so they are not logged. And inserting can be paused, by a row that is there.
 */
export class Migration20261122050900_slots_and_pause extends Migration {
  override name = 'Migration20261122050900_slots_and_pause';

  override up(): void {
    this.addSql(
      `create unlogged table "regulator_slot" ("slot" int not null, "holder" uuid not null, "expires_at" timestamptz(6) not null, primary key ("slot"));`,
    );
    this.addSql(
      `create table "inserting_pause" ("id" int not null default 1, "reason" text not null, "actor" text not null, "since" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "inserting_pause" add constraint "inserting_pause_check" check (id = 1);`,
    );
  }
}
