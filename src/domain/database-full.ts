/** How a database without room tells so. */

/** SQLSTATE `disk_full` (PostgreSQL, appendix A). */
const DISK_FULL = '53100';

/** Whether a statement failed because the database has no room; drivers and libraries wrap what the server said. */
export function isDatabaseFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === DISK_FULL) return true;
  return false;
}
