/** Detects the errors of a database without room. */

/** SQLSTATE `disk_full` (PostgreSQL, appendix A). */
const DISK_FULL = '53100';

/** Whether a statement failed because the database has no room. Drivers and libraries wrap the server's error. */
export function isDatabaseFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === DISK_FULL) return true;
  return false;
}
