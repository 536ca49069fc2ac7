import { Migration } from '@mikro-orm/migrations';

/**
 * What never changes of a submission (sections, XML, hashes, some 2.4 KB) lies apart from what changes nine times while it is
 * inserted: an update writes the narrow rest, and there is room for it on the same page, so that it need not touch seven
 * indexes. Counts for rows that are written from now on; blocks neither reading nor writing.
 */
export class Migration20261122110800_narrow_submissions extends Migration {
  override name = 'Migration20261122110800_narrow_submissions';

  override up(): void {
    this.addSql(`alter table "submission" set (toast_tuple_target = 256, fillfactor = 70);`);
    // It is gzip already.
    this.addSql(`alter table "submission" alter column "raw_xml" set storage external;`);
  }
}
