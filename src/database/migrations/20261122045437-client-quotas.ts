import { Migration } from '@mikro-orm/migrations';

/**
 * What quotas of clients are counted by, over all gateways (architecture §quotas). Rates are worth nothing after a
 * crash of the server, and are not logged: they are written to more often than anything else.
 */
export class Migration20261122045437_client_quotas extends Migration {
  override name = 'Migration20261122045437_client_quotas';

  override up(): void {
    this.addSql(
      `create unlogged table "client_rate" ("key" text not null, "points" int not null default 0, "expire" bigint null, primary key ("key"));`,
    );
    this.addSql(
      `create table "client_slot" ("kind" varchar(32) not null, "client_id" varchar(255) not null, "slot" int not null, "token" uuid not null, "expires_at" timestamptz(3) not null, primary key ("kind", "client_id", "slot"));`,
    );
    this.addSql(`create index "client_slot_token_index" on "client_slot" ("token");`);
    this.addSql(`alter table "zip_import" add "attachment_bytes" bigint not null default '0';`);
    this.addSql(
      `create index "zip_import_kept_index" on "zip_import" ("client_id") include ("size_bytes", "attachment_bytes") where "archive_removed_at" is null;`,
    );
  }
}
