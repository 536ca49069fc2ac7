/**
 * Errors that clients see. The gateway answers with their message and code
 * (`gateway/every-request.ts`). Activities throw some of them as well.
 */
import type { ErrorCode, ImportFailureCode } from '../contract/error-codes.ts';
import { CANCEL_ACTION, type ImportStatus } from '../contract/statuses.ts';
import { DomainError } from './errors.ts';

export abstract class ClientError extends DomainError {
  abstract readonly code: Exclude<ErrorCode, 'internal'>;
  /** The import that the error is about, if there is one. */
  readonly importId?: number | undefined;
}

/** A record that does not exist, or that this caller may not see. */
export class NotFound extends ClientError {
  readonly code = 'not_found';
  readonly permanent = true;

  constructor(what: string, id: number | string) {
    super(`${what} ${id} not found.`);
  }
}

/** The facts that decide about the actions of an import. */
interface ImportState {
  id: number;
  status: ImportStatus;
  cancelRequestedAt?: Date | null | undefined;
  completedAt?: Date | null | undefined;
}

/** An import does not offer the action now. */
export class ImportActionNotAvailable extends ClientError {
  readonly code = 'action_not_available';
  readonly permanent = true;
  override readonly importId: number;

  constructor(action: string, { id, status, cancelRequestedAt, completedAt }: ImportState) {
    const isOpen = completedAt == null;
    let why = `it is ${status}`;
    if (isOpen && cancelRequestedAt != null) why = 'it is being cancelled';
    else if (isOpen && action === CANCEL_ACTION)
      why = 'its products have ended, and only its summary is left';
    super(`${action} cannot be run on package import ${id}: ${why}.`);
    this.importId = id;
  }
}

/** The whole package cannot be read (interface §7, HTTP 500; package format §6). The message goes to the client. */
export class InvalidPackage extends ClientError {
  readonly code = 'invalid_package';
  readonly permanent = true;

  /** The reason alone, without the name of the invalid thing. */
  readonly reason: string;

  constructor(reason: string) {
    super(`Invalid submission ZIP: ${reason}`);
    this.reason = reason;
  }
}

/** The package of an import is no longer stored (decision §retention). */
export class ArchiveRemoved extends ClientError {
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
export class StorageFull extends ClientError {
  readonly code = 'storage_full';
  readonly permanent = true;

  constructor() {
    super('The archive storage is full. Nothing was stored. Send the package again later.');
  }
}

/** An import or a dry run ended without a result. The message is the reason that its workflow gave. */
export class ImportFailed extends ClientError {
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

/** By the `type` of the workflow's failure. A failure of another type is not the package's. */
const CODES_BY_TYPE: Readonly<Record<string, ImportFailureCode>> = {
  [InvalidPackage.name]: 'invalid_package',
  LostTooOften: 'invalid_package',
  ImportCancelled: 'import_cancelled',
  [StorageFull.name]: 'storage_full',
};

/** @param type of the workflow's failure */
export function importFailureCode(type: string | null | undefined): ImportFailureCode {
  return CODES_BY_TYPE[type ?? ''] ?? 'import_failed';
}

/** Reads the import's failure from the failure of its workflow. */
export function importFailedBy(
  failure: { message: string; type?: string | null | undefined },
  importId?: number,
): ImportFailed {
  return new ImportFailed(failure.message, importFailureCode(failure.type), importId);
}

/** There is no active regulator session. The message is the `regulator_session_message` (interface §7). */
export class RegulatorSessionRequired extends ClientError {
  readonly code = 'session_required';
  readonly permanent = false;
  /** The next attempt waits for the login itself (activities/insert-waits.ts), so it may start at once. */
  override readonly retryAfterSeconds = 1;
}

/** The regulator limited the rate of calls (HTTP 429), or the service's own rate limit did. */
export class RegulatorRateLimited extends ClientError {
  readonly code = 'regulator_unavailable';
  readonly permanent = false;
  override readonly retryAfterSeconds: number;

  /** @param message names another reason than an answer of the regulator */
  constructor(
    retryAfterSeconds: number,
    message = `The regulator asked to wait ${retryAfterSeconds} s before the next call`,
  ) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The regulator cannot be reached, failed, or sent an answer outside its interface. */
export class RegulatorUnavailable extends ClientError {
  readonly code = 'regulator_unavailable';
  readonly permanent = false;
}

/**
 * The verification code was wrong or outdated; the login stays pending until the fifth (decision
 * §the-regulator-is-a-port).
 */
export class WrongVerificationCode extends ClientError {
  readonly code = 'wrong_verification_code';
  readonly permanent = true;
}

/** The regulator refused the service's user name or password. */
export class RegulatorLoginRefused extends ClientError {
  readonly code = 'regulator_login_refused';
  readonly permanent = true;
}
