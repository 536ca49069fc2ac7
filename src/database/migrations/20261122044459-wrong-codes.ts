import { Migration } from '@mikro-orm/migrations';

/** How many wrong codes a login has been given; and what is in the audit trail cannot be truncated either. */
export class Migration20261122044459_wrong_codes extends Migration {
  override name = 'Migration20261122044459_wrong_codes';

  override up(): void {
    this.addSql(`alter table "regulator_session" add column "code_tries" int not null default 0;`);
    this.addSql(
      `create trigger "audit_event_no_truncate" before truncate on "audit_event" for each statement execute function "audit_event_audit_event_append_only_fn"();`,
    );
  }
}
