/**
 * Port to the regulator (decision §the-regulator-is-a-port). `http-client.ts` implements it for the REST API
 * described in docs/regulator-api.md.
 */

import type { Readable } from 'node:stream';
import { plainReason, reasonsText } from '../contract/reasons.ts';
import type { InsertStep } from '../contract/steps.ts';
import type { Reason } from '../contract/types.ts';
import { DomainError } from '../domain/errors.ts';
import { BoundedNotes } from '../domain/notes.ts';
import type { AttachmentContent } from '../domain/product.ts';
import type { OpenCase } from '../domain/regulator.ts';

/** The regulator refused a product, with its reasons. A retry would be refused again. */
export class RegulatorRejection extends DomainError {
  readonly permanent = true;
  override readonly reasons: readonly Reason[];

  /**
   * @param said the regulator's reasons, in its words
   * @param path of the rejected section; null if the regulator rejected something else
   */
  constructor(said: readonly string[], path: string | null = null) {
    const notes = new BoundedNotes();
    for (const text of said)
      notes.add(() => ({ ...plainReason(`The regulator rejected the product: ${text}`), path }));
    super(reasonsText(notes.list));
    this.reasons = notes.list;
  }
}

interface CaseToOpen {
  /** The submission's uuid: client reference and idempotency key. The same reference finds the same case. */
  clientReference: string;
  productId: string;
  productTypeCode: number;
  submissionTypeCode: number | null;
}

interface AttachmentToSend extends AttachmentContent {
  /** Opens the content; called once per attempt. */
  content(): Promise<Readable>;
}

export interface Regulator {
  /** Begins a login; the regulator sends a verification code by e-mail. @throws RegulatorLoginRefused */
  logIn(): Promise<{ loginId: string }>;
  /** @throws WrongVerificationCode */
  verify(loginId: string, code: string): Promise<SessionGrant>;
  /** Extends a session. @throws RegulatorSessionRequired when the regulator does not allow it (any more) */
  renew(token: string): Promise<SessionGrant>;
  /**
   * Ends a session; returns as well if it has ended.
   *
   * @throws RegulatorUnavailable, RegulatorRateLimited: it may still be valid
   */
  logOut(token: string): Promise<void>;

  /** Opens a case, or returns the case with the same client reference. */
  openCase(token: string, open: CaseToOpen, call?: CallOptions): Promise<OpenCase>;
  /** Sends an attachment, unless the case has this content already. */
  sendAttachment(
    token: string,
    caseId: string,
    attachment: AttachmentToSend,
    call?: CallOptions,
  ): Promise<void>;
  /** Sends one section, as JSON text. @throws RegulatorRejection with the regulator's reasons */
  sendSection(
    token: string,
    caseId: string,
    step: InsertStep,
    section: string,
    call?: CallOptions,
  ): Promise<{ modifiedDate: string }>;
}

/**
 * Calls with a token throw RegulatorSessionRequired for a rejected token, RegulatorRateLimited on 429, and
 * RegulatorUnavailable without a valid answer.
 */
export interface CallOptions {
  /** Ends the call, and the wait until it begins. */
  signal?: AbortSignal;
  /** Ends only the wait until the call begins; by default `signal`. */
  waitSignal?: AbortSignal;
  /** Longest wait until the call begins; unlimited if absent. */
  maxWaitMs?: number;
}

export interface SessionGrant {
  token: string;
  expiresAt: Date;
}
