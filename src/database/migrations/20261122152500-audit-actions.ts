import { Migration } from '@mikro-orm/migrations';

/**
 * What is asked for by its action is rare among what happens to products: whoever looked for it read the whole trail.
 *
 * Not in a transaction: the index is built beside processes that go on writing. Each statement can be repeated.
 */
export class Migration20261122152500_audit_actions extends Migration {
  override name = 'Migration20261122152500_audit_actions';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`drop index concurrently if exists "audit_event_action_index";`);
    this.addSql(
      `create index concurrently "audit_event_action_index" on "audit_event" ("action", "id") where "submission_id" is null;`,
    );
  }
}
