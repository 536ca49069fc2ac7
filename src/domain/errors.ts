/**
 * The error catalogue: what can go wrong for a reason that somebody can act on. Everything else is a
 * fault of ours and stays an ordinary `Error`.
 *
 * Each error knows whether trying again can help. `activities/failure-mapping.ts` turns that into a
 * Temporal failure (the class name becomes its `type`), `gateway/errors.ts` into an HTTP answer.
 */
export abstract class DomainError extends Error {
  /** True when trying again cannot help: the caller or the operator has to change something first. */
  abstract readonly permanent: boolean;
  /** Seconds after which a retry makes sense, where the other side told us. */
  readonly retryAfterSeconds?: number;

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
  readonly permanent = true;

  constructor(reason: string) {
    super(`Invalid submission ZIP: ${reason}`);
  }
}

/** The package of an import is not kept any more (design §5, retention). */
export class ArchiveRemoved extends DomainError {
  readonly permanent = true;

  constructor(importId: number, removedAt: Date) {
    super(
      `The package of import ${importId} was removed on ${removedAt.toISOString().slice(0, 10)}. Export it again.`,
    );
  }
}

/** An import ended without a result; the message is the reason that its workflow gave. */
export class ImportFailed extends DomainError {
  readonly permanent = true;
}

/** The regulator refused a product, with its reasons. Sending the same again would be refused again. */
export class RegulatorRejection extends DomainError {
  readonly permanent = true;
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(`The regulator rejected the product: ${reasons.join('; ')}`);
    this.reasons = reasons;
  }
}

/** There is no active regulator session. The message is the `regulator_session_message` (interface §7). */
export class RegulatorSessionRequired extends DomainError {
  readonly permanent = false;
  /** The next try waits for the login itself (activities/insert-steps.ts), so it may come at once. */
  override readonly retryAfterSeconds = 1;
}

/** The regulator asked us to slow down (HTTP 429). */
export class RegulatorRateLimited extends DomainError {
  readonly permanent = false;
  override readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`The regulator asked to wait ${retryAfterSeconds} s before the next call`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The regulator cannot be reached, failed, or answered with something that is not its interface. */
export class RegulatorUnavailable extends DomainError {
  readonly permanent = false;
}

/** The verification code was wrong or outdated; the login stays pending (design §8). */
export class WrongVerificationCode extends DomainError {
  readonly permanent = true;
}

/** The regulator refused our user name or password. */
export class RegulatorLoginRefused extends DomainError {
  readonly permanent = true;
}

/** The mail server refused the summary for good (SMTP 5xx). */
export class MailRefused extends DomainError {
  readonly permanent = true;
}

/** The mail server could not be reached or asked to try later (SMTP 4xx). */
export class MailUnavailable extends DomainError {
  readonly permanent = false;
}

/** A record that does not exist, or not for this caller. */
export class NotFound extends DomainError {
  readonly permanent = true;

  constructor(what: string, id: number | string) {
    super(`${what} ${id} not found`);
  }
}

/** A workflow run acts on a submission that another run has taken over (design §6, resets). */
export class StaleRun extends DomainError {
  readonly permanent = true;
}

/** The message of anything thrown, for people: never a stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
