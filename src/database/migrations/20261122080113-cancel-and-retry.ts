import { Migration } from '@mikro-orm/migrations';

/** Who has asked for the cancellation of an import, and the last time that what was left of one was run again. */
export class Migration20261122080113_cancel_and_retry extends Migration {
  override name = 'Migration20261122080113_cancel_and_retry';

  override up(): void {
    this.addSql(
      `alter table "zip_import" add "cancelled_by" text null, add "cancel_requested_at" timestamptz(3) null;`,
    );
    this.addSql(
      `create table "import_retry" ("zip_import_id" int not null, "uuid" uuid not null, "client_id" varchar(255) not null, "requested_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, primary key ("zip_import_id"));`,
    );
    this.addSql(`alter table "import_retry" add constraint "import_retry_uuid_unique" unique ("uuid");`);
    this.addSql(
      `create index "import_retry_open_index" on "import_retry" ("requested_at") where "ended_at" is null;`,
    );
    this.addSql(
      `alter table "import_retry" add constraint "import_retry_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `create table "retry_result" ("submission_id" int not null, "zip_import_id" int not null, "status" smallint null, "message" text null, "job_id" uuid null, "job_state" varchar(255) null, "tried_at" timestamptz(3) null, primary key ("submission_id"));`,
    );
    this.addSql(`create index "retry_result_zip_import_id_index" on "retry_result" ("zip_import_id");`);
    this.addSql(
      `alter table "retry_result" add constraint "retry_result_submission_id_foreign" foreign key ("submission_id") references "submission" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "retry_result" add constraint "retry_result_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`,
    );
  }
}
