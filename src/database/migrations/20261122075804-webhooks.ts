import { Migration } from '@mikro-orm/migrations';

/** Clients are told of the end of their imports (architecture §signed-webhooks): where, with which secret, and how it went. */
export class Migration20261122075804_webhooks extends Migration {
  override name = 'Migration20261122075804_webhooks';

  override up(): void {
    this.addSql(`create table "webhook" ("client_id" varchar(255) not null, "url" text null, "encrypted_secret" text not null, "encrypted_previous_secret" text null, "previous_secret_valid_until" timestamptz(3) null, "updated_at" timestamptz(3) not null, primary key ("client_id"));`);

    this.addSql(`create table "webhook_delivery" ("id" serial primary key, "uuid" uuid not null, "zip_import_id" int not null, "target" text not null, "url" text not null, "event" text not null, "payload" text not null, "status" text not null, "tries" int not null default 0, "last_try_at" timestamptz(3) null, "last_status" int null, "last_error" text null, "created_at" timestamptz(3) not null, "delivered_at" timestamptz(3) null);`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_uuid_unique" unique ("uuid");`);
    this.addSql(`create index "webhook_delivery_created_at_index" on "webhook_delivery" ("created_at");`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_zip_import_id_target_event_unique" unique ("zip_import_id", "target", "event");`);

    this.addSql(`alter table "zip_import" add "webhook_url" text null;`);

    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_zip_import_id_foreign" foreign key ("zip_import_id") references "zip_import" ("id") on delete cascade;`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_target_check" check ("target" in ('client', 'import'));`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_event_check" check ("event" in ('package_import.completed', 'package_import.failed', 'package_import.cancelled'));`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_status_check" check ("status" in ('pending', 'delivered', 'failed'));`);
  }
}
