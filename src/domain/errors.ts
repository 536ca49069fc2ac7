/**
 * The error catalogue: failures with a cause that a person can remove. Every other failure is a bug of the service
 * and stays an ordinary `Error`.
 *
 * Each error has a code and says whether a retry can help. `activities/failure-mapping.ts` turns it into a
 * Temporal failure (the class name becomes its `type`), `gateway/middleware/respond-with-errors.ts` into an
 * HTTP answer.
 */
import type { ErrorCode } from '../contract/error-codes.ts';

export abstract class DomainError extends Error {
  /** Clients tell errors apart by this code. It is `internal` for failures behind the interface. */
  abstract readonly code: ErrorCode;
  /** True when a retry cannot help: the caller or the operator has to change something first. */
  abstract readonly permanent: boolean;
  /** Seconds after which a retry makes sense, if the other side gave them. */
  readonly retryAfterSeconds?: number;
  /** True for errors of normal operation. Their Temporal failure is benign and raises no alarm. */
  readonly expected: boolean = false;
  /** The import that the error is about, if there is one. */
  readonly importId?: number | undefined;

  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }

  override get name(): string {
    return this.constructor.name;
  }
}

/** The whole package cannot be read (interface §7, HTTP 500; package format §6). The message goes to the client. */
export class InvalidPackage extends DomainError {
  readonly code = 'invalid_package';
  readonly permanent = true;

  /** The reason alone, without the name of the invalid thing. */
  readonly reason: string;

  constructor(reason: string) {
    super(`Invalid submission ZIP: ${reason}`);
    this.reason = reason;
  }
}

/** This process reads other packages and has no memory for one more (decision §reading-has-a-budget). */
export class TooManyPackages extends DomainError {
  readonly code = 'too_many_requests';
  readonly permanent = false;
  override readonly retryAfterSeconds = 10;

  constructor() {
    super('Too many packages are being read at the same time. Ask again.');
  }
}

/** The package of an import is no longer stored (decision §retention). */
export class ArchiveRemoved extends DomainError {
  readonly code = 'package_removed';
  readonly permanent = true;
  override readonly importId: number;

  constructor(importId: number, removedAt: Date) {
    super(
      `The package of import ${importId} was removed on ${removedAt.toISOString().slice(0, 10)}. Export it again.`,
    );
    this.importId = importId;
  }
}

/**
 * The archive storage has no room. The writer removes its partial file and does not wait: others wait for the same
 * room (decision §room-for-packages).
 */
export class StorageFull extends DomainError {
  readonly code = 'storage_full';
  readonly permanent = true;

  constructor() {
    super('The archive storage is full. Nothing was kept; send the package again later.');
  }
}

/** This reading yields to others and resumes after its last kept result (decision §reading-apart). */
export class ReadingTurnOver extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  override readonly expected = true;
  override readonly retryAfterSeconds = 0.1;

  constructor() {
    super('It has had its turn, and goes on behind what is kept when other packages have had theirs.');
  }
}

/** The work was lost with its process so often that it probably ends the process (decision §timeouts-and-retries). */
export class TriedTooOften extends DomainError {
  readonly code = 'import_failed';
  readonly permanent = true;

  /** @param what subject of the message's sentence, capitalized */
  constructor(what: string, lost: number) {
    super(
      `${what} was given up: ${lost} tries ended with their process, as when there is not enough memory for it.`,
    );
  }
}

/** The ways in which an import ends without a result. */
export type ImportFailureCode = Extract<
  ErrorCode,
  'invalid_package' | 'import_cancelled' | 'import_failed' | 'storage_full'
>;

/** An import or a dry run ended without a result. The message is the reason that its workflow gave. */
export class ImportFailed extends DomainError {
  readonly code: ImportFailureCode;
  readonly permanent = true;
  override readonly importId: number | undefined;

  /** @param importId absent for a dry run, which creates no import */
  constructor(message: string, code: ImportFailureCode, importId?: number) {
    super(message);
    this.code = code;
    this.importId = importId;
  }
}

/** By the `type` of the workflow's failure. Other types have no code of their own. */
const IMPORT_FAILURE_CODES: Readonly<Record<string, ImportFailureCode>> = {
  [InvalidPackage.name]: 'invalid_package',
  ImportCancelled: 'import_cancelled',
  [StorageFull.name]: 'storage_full',
};

/** Reads the import's failure from the failure of its workflow. */
export function importFailedBy(
  failure: { message: string; type?: string | null | undefined },
  importId?: number,
): ImportFailed {
  const code = IMPORT_FAILURE_CODES[failure.type ?? ''] ?? 'import_failed';
  return new ImportFailed(failure.message, code, importId);
}

/** The regulator refused a product, with its reasons. A retry would be refused again. */
export class RegulatorRejection extends DomainError {
  readonly code = 'internal';
  readonly permanent = true;
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(`The regulator rejected the product: ${reasons.join('; ')}`);
    this.reasons = reasons;
  }
}

/** There is no active regulator session. The message is the `regulator_session_message` (interface §7). */
export class RegulatorSessionRequired extends DomainError {
  readonly code = 'session_required';
  readonly permanent = false;
  /** The next try waits for the login itself (activities/insert-steps.ts), so it may start at once. */
  override readonly retryAfterSeconds = 1;
}

/** The regulator limited the rate of calls (HTTP 429). */
export class RegulatorRateLimited extends DomainError {
  readonly code = 'regulator_unavailable';
  readonly permanent = false;
  override readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`The regulator asked to wait ${retryAfterSeconds} s before the next call`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The regulator cannot be reached, failed, or sent an answer outside its interface. */
export class RegulatorUnavailable extends DomainError {
  readonly code = 'regulator_unavailable';
  readonly permanent = false;
}

/** The verification code was wrong or outdated; the login stays pending until the fifth (decision §the-regulator-is-a-port). */
export class WrongVerificationCode extends DomainError {
  readonly code = 'wrong_verification_code';
  readonly permanent = true;
}

/** The regulator refused the service's user name or password. */
export class RegulatorLoginRefused extends DomainError {
  readonly code = 'regulator_login_refused';
  readonly permanent = true;
}

/** An operator has paused all inserting. The message says when and why. */
export class InsertingPaused extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  /** The next try waits for the end of the pause (activities/insert-steps.ts), so it may start at once. */
  override readonly retryAfterSeconds = 1;
}

/** A step takes longer than a local activity may. It continues as an activity of its own (workflows/insert-step.ts). */
export class StepTakesTime extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
}

/** A mail was not sent. Histories get the message, which names no recipient. The import's record gets the rest. */
abstract class MailFailure extends DomainError {
  readonly code = 'internal';
  /** The mail server's reply, which may name recipients. */
  readonly serverText: string;

  constructor(message: string, serverText: string) {
    super(message);
    this.serverText = serverText;
  }
}

/** The mail server refused the mail permanently (SMTP 5xx). */
export class MailRefused extends MailFailure {
  readonly permanent = true;
}

/** The mail server could not be reached or asked to try later (SMTP 4xx). */
export class MailUnavailable extends MailFailure {
  readonly permanent = false;
}

/** The reason for the record of an import, which only its owner and operators read. */
export function mailFailureText(error: unknown): string {
  return error instanceof MailFailure ? `${error.message}: ${error.serverText}` : messageOf(error);
}

/** A message may not go to its URL, or cannot be signed. A retry would fail in the same way. */
export class WebhookRefused extends DomainError {
  readonly code = 'internal';
  readonly permanent = true;
  /** HTTP status; null if nothing was sent. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** The receiver of a message did not accept it. The cause is outside the service, so no alarm is raised. */
export class WebhookUndelivered extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  override readonly expected = true;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null, retryAfterSeconds?: number) {
    super(message, retryAfterSeconds);
    this.status = status;
  }
}

/** The client has the maximum number of messages in delivery. This message waits for them. */
export class ClientBusy extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  override readonly expected = true;

  constructor() {
    super('Other messages to this client are under way.');
  }
}

/** A record that does not exist, or that this caller may not see. */
export class NotFound extends DomainError {
  readonly code = 'not_found';
  readonly permanent = true;

  constructor(what: string, id: number | string) {
    super(`${what} ${id} not found.`);
  }
}

/** A workflow run acts on a submission that now belongs to another run (decision §resets-are-normal). */
export class StaleRun extends DomainError {
  readonly code = 'internal';
  readonly permanent = true;
}

/** The message of any thrown value, for people. It never holds a stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
