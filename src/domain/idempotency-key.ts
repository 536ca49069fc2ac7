/** The form of an `Idempotency-Key`, as clients choose it and the gateway takes it. */
export const IDEMPOTENCY_KEY_LENGTH = 255;

/** Printable ASCII without blanks. */
export const IDEMPOTENCY_KEY_CHARACTERS = /^[\x21-\x7e]*$/;
