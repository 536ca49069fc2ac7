/**
 * Errors with a cause that a person can remove. Every other failure is a bug of the service and stays an ordinary
 * `Error`.
 *
 * There are two families. `client-errors.ts` has those that clients see, with a code of the contract. The others stay
 * behind the interface and tell Temporal whether a retry can help. Each of these is defined next to the code that throws
 * it; this file has those that several folders share.
 */
import { messageOf } from '../common/text.ts';
import type { Reason } from '../contract/types.ts';

/**
 * An error as Temporal sees it: `activities/failure-mapping.ts` turns it into a failure with the name of the class as
 * its `type`.
 */
export abstract class DomainError extends Error {
  /** True when a retry cannot help: the caller or the operator has to change something first. */
  abstract readonly permanent: boolean;
  /** Seconds after which a retry makes sense, if the other side gave them. */
  readonly retryAfterSeconds?: number;
  /** True for errors of normal operation. Their Temporal failure is benign and raises no alarm. */
  readonly expected: boolean = false;
  /** The message as data, if it has a place in a product. */
  readonly reasons?: readonly Reason[];

  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }

  override get name(): string {
    return this.constructor.name;
  }
}

/** A mail was not sent. Histories get the message, which names no recipient. The import's record gets the rest. */
abstract class MailFailure extends DomainError {
  /** The mail server's reply, which may name recipients. */
  readonly serverText: string;

  constructor(message: string, serverText: string) {
    super(message);
    this.serverText = serverText;
  }
}

/** The mail server refused the mail itself permanently (SMTP 5xx). */
export class MailRefused extends MailFailure {
  readonly permanent = true;
}

/** The mail server could not be reached, refused connection, login or TLS, or asked to try later (SMTP 4xx). */
export class MailUnavailable extends MailFailure {
  readonly permanent = false;
}

/** The reason for the record of an import, which only its owner and operators read. */
export function mailFailureText(error: unknown): string {
  return error instanceof MailFailure ? `${error.message}: ${error.serverText}` : messageOf(error);
}
