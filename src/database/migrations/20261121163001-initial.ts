import { Migration } from '@mikro-orm/migrations';

export class Migration20261121163001_initial extends Migration {

  override name = 'Migration20261121163001_initial';

  override up(): void | Promise<void> {
    this.addSql(`create table "audit_event" ("id" bigserial primary key, "at" timestamptz(3) not null default now(), "actor" text not null, "action" text not null, "import_id" int null, "submission_id" int null, "detail" jsonb null);`);
    this.addSql(`create index "audit_event_import_id_index" on "audit_event" ("import_id");`);
    this.addSql(`create index "audit_event_submission_id_index" on "audit_event" ("submission_id");`);
    this.addSql(`create or replace function "audit_event_audit_event_append_only_fn"() returns trigger as \$\$ begin raise exception 'audit_event is append-only'; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "audit_event_append_only" BEFORE UPDATE OR DELETE on "audit_event" for each STATEMENT execute function "audit_event_audit_event_append_only_fn"();`);

    this.addSql(`create table "zip_import" ("id" serial primary key, "uuid" uuid not null, "client_id" varchar(255) not null, "comment" text null, "file_name" text not null, "storage_key" text not null, "zip_file_path" text not null, "size_bytes" bigint not null, "sha256" varchar(64) not null, "uploaded_at" timestamptz(3) not null, "status" text not null, "failure_reason" text null, "extracted_xml_files" int null, "queued_at" timestamptz(3) null, "completed_at" timestamptz(3) null, "archive_removed_at" timestamptz(3) null);`);
    this.addSql(`alter table "zip_import" add constraint "zip_import_uuid_unique" unique ("uuid");`);
    this.addSql(`create index "zip_import_client_id_index" on "zip_import" ("client_id");`);
    this.addSql(`create index "zip_import_client_id_id_index" on "zip_import" ("client_id", "id");`);
    this.addSql(`create index "zip_import_status_index" on "zip_import" ("status");`);
    this.addSql(`alter table "zip_import" add constraint "zip_import_status_check" check ("status" in ('extracting', 'inserting', 'completed', 'failed', 'cancelled'));`);

    this.addSql(`create table "notification" ("zip_import_id" int not null, "email" text not null, "status" text not null, "last_error" text null, "attempts" int not null default 0, "sent_at" timestamptz(3) null, primary key ("zip_import_id"));`);
    this.addSql(`alter table "notification" add constraint "notification_status_check" check ("status" in ('pending', 'sending', 'sent', 'error'));`);

    this.addSql(`create table "zip_import_file" ("id" serial primary key, "zip_import_id" int not null, "entry_index" int not null, "entry_path" text not null, "xml_file" text not null, "kind" text not null default 'product', "outcome" text not null, "reason" text not null, "product_id" varchar(255) null);`);
    this.addSql(`create index "zip_import_file_zip_import_id_outcome_entry_index_index" on "zip_import_file" ("zip_import_id", "outcome", "entry_index");`);
    this.addSql(`alter table "zip_import_file" add constraint "zip_import_file_zip_import_id_entry_path_unique" unique ("zip_import_id", "entry_path");`);
    this.addSql(`alter table "zip_import_file" add constraint "zip_import_file_kind_check" check ("kind" in ('product', 'attachment', 'submitter'));`);
    this.addSql(`alter table "zip_import_file" add constraint "zip_import_file_outcome_check" check ("outcome" in ('failed', 'skipped'));`);

    this.addSql(`create table "idempotency_key" ("client_id" varchar(255) not null, "key" varchar(255) not null, "fingerprint" varchar(64) not null, "zip_import_id" int not null, "created_at" timestamptz(3) not null, primary key ("client_id", "key"));`);
    this.addSql(`create index "idempotency_key_zip_import_id_index" on "idempotency_key" ("zip_import_id");`);
    this.addSql(`create index "idempotency_key_created_at_index" on "idempotency_key" ("created_at");`);

    this.addSql(`create table "attachment" ("id" serial primary key, "client_id" varchar(255) not null, "attachment_id" uuid not null, "zip_import_id" int not null, "entry_path" text not null, "action" text not null, "file_name" text not null, "content_type" text not null, "confidential" boolean not null, "size_bytes" bigint not null, "sha256" varchar(64) not null, "storage_key" text not null, "created_at" timestamptz(3) not null);`);
    this.addSql(`create index "attachment_client_id_attachment_id_id_index" on "attachment" ("client_id", "attachment_id", "id");`);
    this.addSql(`create index "attachment_storage_key_index" on "attachment" ("storage_key");`);
    this.addSql(`alter table "attachment" add constraint "attachment_zip_import_id_entry_path_unique" unique ("zip_import_id", "entry_path");`);
    this.addSql(`alter table "attachment" add constraint "attachment_action_check" check ("action" in ('CREATE', 'UPDATE'));`);

    this.addSql(`create table "regulator_session" ("id" int not null default 1, "login_id" text null, "encrypted_token" text null, "token_digest" varchar(255) null, "expires_at" timestamptz(3) null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "regulator_session" add constraint "regulator_session_check" check (id = 1);`);

    this.addSql(`create table "submitter" ("id" serial primary key, "client_id" varchar(255) not null, "submitter_id" varchar(5) not null, "zip_import_id" int not null, "entry_path" text not null, "details" jsonb not null, "created_at" timestamptz(3) not null);`);
    this.addSql(`create index "submitter_client_id_submitter_id_id_index" on "submitter" ("client_id", "submitter_id", "id");`);
    this.addSql(`alter table "submitter" add constraint "submitter_zip_import_id_entry_path_unique" unique ("zip_import_id", "entry_path");`);

    this.addSql(`create table "submission" ("id" serial primary key, "uuid" uuid not null, "zip_import_id" int not null, "entry_index" int not null, "entry_path" text not null, "xml_file" text not null, "product_id" varchar(14) not null, "product_type_code" smallint not null, "product_type" text not null, "submission_type_code" smallint null, "submission_type" text not null, "comment" text null, "status" text not null, "failure_reason" text null, "init_validate" boolean not null default false, "product_details" boolean not null default false, "product_presentation" boolean not null default false, "design" boolean not null default false, "ingredients" boolean not null default false, "emission" boolean not null default false, "current_step" text null, "job_id" uuid null, "case_id" varchar(255) null, "regulator_submission_date" varchar(255) null, "regulator_modified_date" varchar(255) null, "regulator_submission_type" text null, "warnings" jsonb not null, "content_hash" varchar(64) not null, "section_hashes" jsonb not null, "sections" jsonb not null, "raw_xml" bytea null, "submitter_row_id" int null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null);`);
    this.addSql(`alter table "submission" add constraint "submission_uuid_unique" unique ("uuid");`);
    this.addSql(`create index "submission_product_id_id_index" on "submission" ("product_id", "id");`);
    this.addSql(`create index "submission_zip_import_id_entry_index_index" on "submission" ("zip_import_id", "entry_index");`);
    this.addSql(`create index "submission_status_index" on "submission" ("status");`);
    this.addSql(`alter table "submission" add constraint "submission_zip_import_id_entry_path_unique" unique ("zip_import_id", "entry_path");`);
    this.addSql(`alter table "submission" add constraint "submission_zip_import_id_product_id_unique" unique ("zip_import_id", "product_id");`);
    this.addSql(`alter table "submission" add constraint "submission_status_check" check ("status" in ('local', 'regulator_inserting', 'regulator_inserted', 'regulator_insert_failed'));`);
    this.addSql(`alter table "submission" add constraint "submission_current_step_check" check ("current_step" in ('init_validate', 'product_details', 'product_presentation', 'design', 'ingredients', 'emission'));`);

    this.addSql(`create table "submission_attachment" ("id" serial primary key, "submission_id" int not null, "attachment_id" uuid not null, "step" text not null, "attachment_row_id" int null, "sent_at" timestamptz(3) null);`);
    this.addSql(`alter table "submission_attachment" add constraint "submission_attachment_submission_id_step_attachment_id_unique" unique ("submission_id", "step", "attachment_id");`);
    this.addSql(`alter table "submission_attachment" add constraint "submission_attachment_step_check" check ("step" in ('init_validate', 'product_details', 'product_presentation', 'design', 'ingredients', 'emission'));`);

    this.addSql(`create table "queue_result" ("submission_id" int not null, "zip_import_id" int not null, "status" smallint not null, "message" text not null, "job_id" uuid null, "job_state" varchar(255) null, "created_at" timestamptz(3) not null, primary key ("submission_id"));`);
    this.addSql(`create index "queue_result_zip_import_id_index" on "queue_result" ("zip_import_id");`);

    this.addSql(`alter table "notification" add constraint "notification_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "zip_import_file" add constraint "zip_import_file_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`);

    this.addSql(`alter table "idempotency_key" add constraint "idempotency_key_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`);

    this.addSql(`alter table "attachment" add constraint "attachment_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`);

    this.addSql(`alter table "submitter" add constraint "submitter_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`);

    this.addSql(`alter table "submission" add constraint "submission_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`);
    this.addSql(`alter table "submission" add constraint "submission_submitter_row_id_foreign" foreign key ("submitter_row_id") references "submitter" ("id") on delete set null;`);

    this.addSql(`alter table "submission_attachment" add constraint "submission_attachment_submission_id_foreign" foreign key ("submission_id") references "submission" ("id") on delete cascade;`);
    this.addSql(`alter table "submission_attachment" add constraint "submission_attachment_attachment_row_id_foreign" foreign key ("attachment_row_id") references "attachment" ("id") on delete set null;`);

    this.addSql(`alter table "queue_result" add constraint "queue_result_submission_id_foreign" foreign key ("submission_id") references "submission" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "queue_result" add constraint "queue_result_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`);
  }

}
