import { Migration } from '@mikro-orm/migrations';

/** What is asked for by its action is rare among what happens to products: whoever looked for it read the whole trail. */
export class Migration20261122152500_audit_actions extends Migration {
  override name = 'Migration20261122152500_audit_actions';

  override up(): void {
    this.addSql(
      `create index "audit_event_action_index" on "audit_event" ("action", "id") where "submission_id" is null;`,
    );
  }
}
