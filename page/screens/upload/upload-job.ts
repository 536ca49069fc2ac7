/**
 * The upload of this page: one at a time, as a dry run and then as an import. It continues while other
 * screens are open. An import keeps one Idempotency-Key over all attempts: the service imports it once. Another
 * file, comment or address is another import with another key. Leaving the page ends the upload.
 */
import { signal } from '@preact/signals';
import { createPace } from '../../../src/common/measures.ts';
import { pause, type RetryPolicy, retrying } from '../../../src/common/retrying.ts';
import type { DryRunResult } from '../../../src/contract/types.ts';
import { type ApiError, asApiError } from '../../api/client.ts';
import { FILE_GONE, type PackageRequest, type SendingOptions, sendPackage } from '../../api/send-package.ts';

type Purpose = 'dryRun' | 'import';
export type Chosen = Required<Pick<PackageRequest, 'file' | 'comment' | 'email'>>;

interface Sending {
  state: 'sending';
  sent: number;
  total: number;
  /** Bytes; null until it is known. */
  perSecond: number | null;
  /** Counted from 1. */
  attempt: number;
}

export type UnderWay =
  | Sending
  /** The whole body is sent: the service reads the package. */
  | { state: 'reading' }
  /** An attempt was lost, the next one starts without a click. @param at milliseconds since 1970 */
  | { state: 'waiting'; error: ApiError; at: number; attempt: number };

type Phase =
  | { state: 'idle' }
  | UnderWay
  | { state: 'refused'; error: ApiError; at: number }
  | { state: 'cancelled' }
  | { state: 'checked' }
  | { state: 'imported'; importId: number };

export interface Job {
  purpose: Purpose;
  chosen: Chosen | null;
  phase: Phase;
  /** The result of the dry run of this file, kept during its import. */
  result: DryRunResult | null;
  /** The whole package was sent without an answer: the import may exist. */
  mayHaveArrived: boolean;
}

const NOTHING: Job = {
  purpose: 'dryRun',
  chosen: null,
  phase: { state: 'idle' },
  result: null,
  mayHaveArrived: false,
};

export const job = signal<Job>(NOTHING);

/** Four minutes in total; then a person decides. */
const RETRIES: RetryPolicy = { attempts: 12, firstPauseMs: 1_000, longestPauseMs: 30_000 };

let key: { of: Chosen; value: string } | null = null;
let running: AbortController | null = null;
let wake: (() => void) | null = null;

export const isUnderWay = (phase: Phase): phase is UnderWay =>
  phase.state === 'sending' || phase.state === 'reading' || phase.state === 'waiting';

/** Forgets the upload: another file starts. */
export function reset(): void {
  running?.abort();
  key = null;
  job.value = NOTHING;
}

/** Sends a dry run or an import until it is answered. Never throws: `job` holds the result. */
export async function start(purpose: Purpose, chosen: Chosen): Promise<void> {
  running?.abort();
  const call = new AbortController();
  running = call;
  const idempotencyKey = purpose === 'import' ? keyOf(chosen) : null;
  const { result, mayHaveArrived } = job.value;
  job.value = {
    purpose,
    chosen,
    phase: sendingOf(1),
    result: purpose === 'import' ? result : null,
    mayHaveArrived: purpose === 'import' && mayHaveArrived,
  };
  try {
    await tryUntilAnswered({ ...chosen, idempotencyKey }, call.signal);
  } catch (error) {
    if (!call.signal.aborted) show({ state: 'refused', error: asApiError(error), at: Date.now() });
  }
}

export function cancel(): void {
  running?.abort();
  show({ state: 'cancelled' });
}

/** Ends the pause before the next attempt. */
export function tryNow(): void {
  wake?.();
}

async function tryUntilAnswered(request: PackageRequest, signal: AbortSignal): Promise<void> {
  const answer = await retrying((attempt) => tryOnce(attempt, request, signal), {
    ...RETRIES,
    signal,
    wait: pauseUntilWoken,
    isWorthRetrying: (error) => isPassing(error as ApiError),
    onRetry: ({ error, pauseMs, next }) =>
      show({ state: 'waiting', error: error as ApiError, at: Date.now() + pauseMs, attempt: next }),
  });
  const phase: Phase =
    answer.kind === 'checked' ? { state: 'checked' } : { state: 'imported', importId: answer.importId };
  const result = answer.kind === 'checked' ? answer.result : job.value.result;
  job.value = { ...job.value, phase, result, mayHaveArrived: false };
}

/** @throws ApiError, or the reason of the signal */
async function tryOnce(attempt: number, request: PackageRequest, signal: AbortSignal) {
  if (attempt > 1) show(sendingOf(attempt));
  try {
    return await sendPackage(request, { signal, ...eventsOf(attempt, request, signal) });
  } catch (error) {
    signal.throwIfAborted();
    const failure = asApiError(error);
    if (isSettled(failure)) job.value = { ...job.value, mayHaveArrived: false };
    throw failure;
  }
}

/** Whether another attempt may succeed without a decision of a person: the connection, or a proxy. */
function isPassing({ status, code, message }: ApiError): boolean {
  if (status === 0) return message !== FILE_GONE;
  if (code === null) return status === 502 || status === 503 || status === 504;
  return code === 'temporarily_unavailable' || code === 'request_timeout';
}

/** Whether the result of earlier attempts is known: the service asks for a session only for an unknown import. */
function isSettled({ code, importId }: ApiError): boolean {
  return code === 'session_required' || importId !== null;
}

function eventsOf(attempt: number, { idempotencyKey }: PackageRequest, signal: AbortSignal): SendingOptions {
  const pace = createPace();
  return {
    onProgress(sent, total) {
      if (signal.aborted) return;
      show({ state: 'sending', sent, total, attempt, perSecond: pace.at(sent) });
    },
    onSent() {
      if (signal.aborted) return;
      if (idempotencyKey !== null) job.value = { ...job.value, mayHaveArrived: true };
      show({ state: 'reading' });
    },
  };
}

/** Ends early when the network returns, or when a person asks. @throws the reason of the signal */
async function pauseUntilWoken(ms: number, signal?: AbortSignal): Promise<void> {
  const end = new AbortController();
  wake = () => end.abort();
  signal?.addEventListener('abort', wake, { signal: end.signal });
  addEventListener('online', wake, { signal: end.signal });
  await pause(ms, end.signal).catch(() => {});
  end.abort();
  wake = null;
  signal?.throwIfAborted();
}

function keyOf(chosen: Chosen): string {
  const { file, comment, email } = chosen;
  if (key?.of.file !== file || key.of.comment !== comment || key.of.email !== email)
    key = { of: chosen, value: crypto.randomUUID() };
  return key.value;
}

function sendingOf(attempt: number): Sending {
  return { state: 'sending', sent: 0, total: 0, attempt, perSecond: null };
}

function show(phase: Phase): void {
  job.value = { ...job.value, phase };
}

/** On any screen: leaving the page ends the upload. */
job.subscribe((now) => {
  if (isUnderWay(now.phase)) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
});

function askBeforeLeaving(event: Event): void {
  event.preventDefault();
}
