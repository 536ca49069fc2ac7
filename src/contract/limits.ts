/** Limits and patterns that clients see. Limits that operators configure are in src/config. */

/** One mebibyte: the interface's "MB" (decision §uploads). */
export const BYTES_PER_MB = 1024 * 1024;

/** Interface §8. Operators may configure less. */
export const MAX_UPLOAD_BYTES = 2048 * BYTES_PER_MB;

/** Entries of a page by default, and the greatest `limit`. */
export const DEFAULT_PAGE = 50;
export const GREATEST_PAGE = 200;

/** Bytes of an entry on average, above which a page of submissions ends early (decision §reading-has-a-budget). */
export const ENTRY_BYTES = 32 * 1024;

/** The greatest id of an import, a submission or a delivery. Larger integers are not exact in JSON (RFC 8259 §6). */
export const GREATEST_ID = Number.MAX_SAFE_INTEGER;

/** The id in a text that a person gives; null for another text. */
export function idIn(text: string): number | null {
  const id = Number(text);
  return /^[1-9][0-9]*$/.test(text) && id <= GREATEST_ID ? id : null;
}

/** EU-CEG product ID: submitter ID, year of first submission, running number (package format §2). */
export const PRODUCT_ID_PATTERN = /^[0-9]{5}-[0-9]{2}-[0-9]{5}$/;

/** The first five digits of a product ID (package format §2). */
export const SUBMITTER_ID_PATTERN = /^[0-9]{5}$/;

/** Characters of a search text. */
export const SEARCHED_TEXT_LENGTH = 500;

/** Imports that one request searches for texts and failures (decision §searches-are-bounded). */
export const SCAN_LIMIT = 10_000;

/** Audit events that one request searches where no index serves its filter (decision §searches-are-bounded). */
export const AUDIT_SCAN_LIMIT = 300_000;

/** Characters of a comment that a search looks at, because clients choose its length. */
export const COMMENT_SCAN_LENGTH = 1_000;

/** Characters of the comment of an upload. */
export const COMMENT_LENGTH = 10_000;

/** Recipients of one summary, and characters of each address (RFC 5321). */
export const MAX_RECIPIENTS = 10;
export const ADDRESS_LENGTH = 254;

export const WEBHOOK_URL_LENGTH = 2_000;

/** Files of packages that a client may have read for its imports, per day. Each of them becomes a row of the database. */
export const FILES_PER_DAY = 1_000_000;

/**
 * Seconds by which the times of an access token may differ from the clock of the service (decision §access-tokens-only).
 */
export const CLOCK_TOLERANCE_S = 5;

export const IDEMPOTENCY_KEY_LENGTH = 255;
/** An `Idempotency-Key` is printable ASCII without blanks. `""` is the quoted form of an empty key, so it is none. */
export const IDEMPOTENCY_KEY_CHARACTERS = /^(?!""$)[\x21-\x7e]+$/;

/** Files of one dossier beside its page and its manifest. */
export const DOSSIER_FILES = 10_000;

/** Clients whose running work and stored packages the statistics list. */
export const MAX_CLIENTS = 200;

export const VERIFICATION_CODE_LENGTH = 64;
export const PAUSE_REASON_LENGTH = 500;
