import { Migration } from '@mikro-orm/migrations';

/** When the regulator may be called next: one row, shared by all processes. */
export class Migration20261121180724_regulator_pace extends Migration {
  override name = 'Migration20261121180724_regulator_pace';

  override up(): void {
    this.addSql(
      `create table "regulator_pace" ("id" int not null default 1, "next_call_at" timestamptz(6) not null, "closed_until" timestamptz(6) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "regulator_pace" add constraint "regulator_pace_check" check (id = 1);`);
    this.addSql(`insert into "regulator_pace" ("next_call_at", "closed_until") values (now(), now());`);
  }
}
