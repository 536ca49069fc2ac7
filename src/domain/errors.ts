/**
 * The error catalogue: what can go wrong for a reason that somebody can act on. Everything else is a
 * fault of ours and stays an ordinary `Error`.
 *
 * Each error knows its code, and whether trying again can help. `activities/failure-mapping.ts` turns it into a
 * Temporal failure (the class name becomes its `type`), `gateway/middleware/respond-with-errors.ts` into an
 * HTTP answer.
 */
import type { ErrorCode } from '../contract/error-codes.ts';

export abstract class DomainError extends Error {
  /** By which clients tell errors apart; `internal` for what happens behind the interface and is none of theirs. */
  abstract readonly code: ErrorCode;
  /** True when trying again cannot help: the caller or the operator has to change something first. */
  abstract readonly permanent: boolean;
  /** Seconds after which a retry makes sense, where the other side told us. */
  readonly retryAfterSeconds?: number;
  /** True for what happens in the course of things: nobody has to hear of it. */
  readonly expected: boolean = false;
  /** The import that it is about, where there is one. */
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

  /** Without what it is that is invalid. */
  readonly reason: string;

  constructor(reason: string) {
    super(`Invalid submission ZIP: ${reason}`);
    this.reason = reason;
  }
}

/** Others are being read by this process, and there is no memory for one more (decision §reading-has-a-budget). */
export class TooManyPackages extends DomainError {
  readonly code = 'too_many_requests';
  readonly permanent = false;
  override readonly retryAfterSeconds = 10;

  constructor() {
    super('Too many packages are being read at the same time. Ask again.');
  }
}

/** The package of an import is not kept any more (decision §retention). */
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
 * The archive storage has no room. Whoever needed it gives up what it has written, instead of waiting for room that
 * others wait for as well (decision §room-for-packages).
 */
export class StorageFull extends DomainError {
  readonly code = 'storage_full';
  readonly permanent = true;

  constructor() {
    super('The archive storage is full. Nothing was kept; send the package again later.');
  }
}

/** Others may be read now; this reading goes on behind what it has kept (decision §reading-apart). */
export class ReadingTurnOver extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  override readonly expected = true;
  override readonly retryAfterSeconds = 0.1;

  constructor() {
    super('It has had its turn, and goes on behind what is kept when other packages have had theirs.');
  }
}

/** What was lost with its process so often that it must be what ends the process (decision §timeouts-and-retries). */
export class TriedTooOften extends DomainError {
  readonly code = 'import_failed';
  readonly permanent = true;

  /** @param what the beginning of a sentence */
  constructor(what: string, lost: number) {
    super(
      `${what} was given up: ${lost} tries ended with their process, as when there is not enough memory for it.`,
    );
  }
}

/** How an import can end without a result. */
export type ImportFailureCode = Extract<
  ErrorCode,
  'invalid_package' | 'import_cancelled' | 'import_failed' | 'storage_full'
>;

/** An import, or a dry run, ended without a result; the message is the reason that its workflow gave. */
export class ImportFailed extends DomainError {
  readonly code: ImportFailureCode;
  readonly permanent = true;
  override readonly importId: number | undefined;

  /** @param importId absent for a dry run, which makes no import */
  constructor(message: string, code: ImportFailureCode, importId?: number) {
    super(message);
    this.code = code;
    this.importId = importId;
  }
}

/** By the `type` of the failure with which the workflow ended. What is not here has no name of its own. */
const IMPORT_FAILURE_CODES: Readonly<Record<string, ImportFailureCode>> = {
  [InvalidPackage.name]: 'invalid_package',
  ImportCancelled: 'import_cancelled',
  [StorageFull.name]: 'storage_full',
};

/** What the failure of a workflow says about its import. */
export function importFailedBy(
  failure: { message: string; type?: string | null | undefined },
  importId?: number,
): ImportFailed {
  const code = IMPORT_FAILURE_CODES[failure.type ?? ''] ?? 'import_failed';
  return new ImportFailed(failure.message, code, importId);
}

/** The regulator refused a product, with its reasons. Sending the same again would be refused again. */
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
  /** The next try waits for the login itself (activities/insert-steps.ts), so it may come at once. */
  override readonly retryAfterSeconds = 1;
}

/** The regulator asked us to slow down (HTTP 429). */
export class RegulatorRateLimited extends DomainError {
  readonly code = 'regulator_unavailable';
  readonly permanent = false;
  override readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`The regulator asked to wait ${retryAfterSeconds} s before the next call`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The regulator cannot be reached, failed, or answered with something that is not its interface. */
export class RegulatorUnavailable extends DomainError {
  readonly code = 'regulator_unavailable';
  readonly permanent = false;
}

/** The verification code was wrong or outdated; the login stays pending until the fifth (decision §the-regulator-is-a-port). */
export class WrongVerificationCode extends DomainError {
  readonly code = 'wrong_verification_code';
  readonly permanent = true;
}

/** The regulator refused our user name or password. */
export class RegulatorLoginRefused extends DomainError {
  readonly code = 'regulator_login_refused';
  readonly permanent = true;
}

/** An operator has paused all inserting. The message says when and why. */
export class InsertingPaused extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  /** The next try waits for the end of the pause (activities/insert-steps.ts), so it may come at once. */
  override readonly retryAfterSeconds = 1;
}

/** A step takes more time than a local activity may: it goes on as an activity of its own (workflows/insert-step.ts). */
export class StepTakesTime extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
}

/** A mail did not go out. Histories get the message, which names no recipient; the import's record gets the rest. */
abstract class MailFailure extends DomainError {
  readonly code = 'internal';
  /** The mail server's own words, which may name recipients. */
  readonly serverText: string;

  constructor(message: string, serverText: string) {
    super(message);
    this.serverText = serverText;
  }
}

/** The mail server refused the mail for good (SMTP 5xx). */
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

/** A message may not go to its URL, or cannot be signed: another try would end the same. */
export class WebhookRefused extends DomainError {
  readonly code = 'internal';
  readonly permanent = true;
  /** HTTP; null where nothing was sent. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** The receiver of a message did not take it. That is its business, and nobody of ours has to hear of it. */
export class WebhookUndelivered extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  override readonly expected = true;
  /** HTTP; null where there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null, retryAfterSeconds?: number) {
    super(message, retryAfterSeconds);
    this.status = status;
  }
}

/** As many messages of the client are under way as may be at a time: this one comes after them. */
export class ClientBusy extends DomainError {
  readonly code = 'internal';
  readonly permanent = false;
  override readonly expected = true;

  constructor() {
    super('Other messages to this client are under way.');
  }
}

/** A record that does not exist, or not for this caller. */
export class NotFound extends DomainError {
  readonly code = 'not_found';
  readonly permanent = true;

  constructor(what: string, id: number | string) {
    super(`${what} ${id} not found.`);
  }
}

/** A workflow run acts on a submission that another run has taken over (decision §resets-are-normal). */
export class StaleRun extends DomainError {
  readonly code = 'internal';
  readonly permanent = true;
}

/** The message of anything thrown, for people: never a stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
