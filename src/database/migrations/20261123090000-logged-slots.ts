import { Migration } from '@mikro-orm/migrations';

/**
 * PostgreSQL empties an unlogged table when it recovers from a crash, and a standby has none of its rows: other processes
 * would take slots whose calls are under way. A process writes its rows once a second.
 */
export class Migration20261123090000_logged_slots extends Migration {
  override name = 'Migration20261123090000_logged_slots';

  override up(): void {
    this.addSql(`alter table "regulator_slot" set logged;`);
  }
}
