import { Migration } from '@mikro-orm/migrations';

/** Sizes of the packages of a day; null in lines that were counted before, until they are counted again. */
export class Migration20261122112000_received_bytes extends Migration {
  override name = 'Migration20261122112000_received_bytes';

  override up(): void {
    this.addSql(`alter table "daily_statistics" add "received_bytes" bigint null;`);
  }
}
