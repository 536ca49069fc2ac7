/**
 * The upload of this page: one at a time, as a dry run and then for real. It goes on while other screens are looked at.
 *
 * A real import has one Idempotency-Key from the first try to the last: whatever is lost on the way, the service imports
 * it once. Another file, comment or address is another import, and has another key. It survives a reload of the page:
 * the same file, chosen again, goes on under its key.
 */
import { signal } from '@preact/signals';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { createPace, type Pace } from './pace.ts';
import {
  type DryRun,
  FILE_GONE,
  type PackageRequest,
  type SendingEvents,
  sendPackage,
} from './send-package.ts';
import { keep, settle, unsettledOf } from './unsettled-import.ts';

export type Purpose = 'check' | 'import';
export type Chosen = Pick<PackageRequest, 'file' | 'comment' | 'email'>;

export interface Sending extends Pace {
  state: 'sending';
  sent: number;
  total: number;
  /** Counted from 1. */
  attempt: number;
}

export type Phase =
  | { state: 'idle' }
  | Sending
  /** Everything is out: the service reads the package. */
  | { state: 'reading'; attempt: number }
  /** A try was lost; the next comes by itself. @param at milliseconds since 1970 */
  | { state: 'waiting'; error: ApiError; at: number; attempt: number }
  | { state: 'refused'; error: ApiError; at: number }
  | { state: 'cancelled' }
  /** Its import was under way when the page was left. */
  | { state: 'left' }
  | { state: 'checked' }
  | { state: 'imported'; importId: number };

export interface Job {
  purpose: Purpose;
  chosen: Chosen | null;
  phase: Phase;
  /** Of the dry run of the same file, also while that is imported. */
  result: DryRun | null;
  /** Of the real import, whose bytes were all out once without an answer: nobody knows what became of it. */
  mayHaveArrived: boolean;
}

const NOTHING: Job = {
  purpose: 'check',
  chosen: null,
  phase: { state: 'idle' },
  result: null,
  mayHaveArrived: false,
};

export const job = signal<Job>(NOTHING);

/** Before the second try; doubles with each. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Four minutes in all; then a person has to say that it is worth while. */
const TRIES = 12;

let key: { of: Chosen; value: string } | null = null;
let running: AbortController | null = null;
let wake: (() => void) | null = null;

export const isUnderWay = ({ phase: { state } }: Job): boolean =>
  state === 'sending' || state === 'reading' || state === 'waiting';

/** Forgets what became of anything before. */
export function reset(): void {
  running?.abort(new DOMException('Another one begins.', 'AbortError'));
  key = null;
  job.value = NOTHING;
}

/** Forgets what became of anything before. @returns the import of this file that was under way when the page was left */
export function choose(file: File): Chosen | null {
  reset();
  const unsettled = unsettledOf(file);
  if (unsettled === null) return null;
  const { key: value, ...options } = unsettled;
  const chosen = { file, ...options };
  key = { of: chosen, value };
  job.value = { ...NOTHING, purpose: 'import', chosen, phase: { state: 'left' }, mayHaveArrived: true };
  return chosen;
}

/** Begins anew: what may have been imported is no longer known here. */
export function startOver(): void {
  reset();
  settle();
}

/** Dry run or import, tried until it is answered. Never throws: what becomes of it is in `job`. */
export async function start(purpose: Purpose, chosen: Chosen): Promise<void> {
  running?.abort(new DOMException('Another one begins.', 'AbortError'));
  const call = new AbortController();
  running = call;
  const idempotencyKey = purpose === 'import' ? keyOf(chosen) : null;
  const { result, mayHaveArrived } = job.value;
  job.value = {
    ...{ purpose, chosen, phase: sendingOf(1) },
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
  running?.abort(new DOMException('Cancelled.', 'AbortError'));
  show({ state: 'cancelled' });
}

/** Ends the pause before the next try. */
export function tryNow(): void {
  wake?.();
}

async function tryUntilAnswered(request: PackageRequest, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await sendPackage(request, eventsOf(attempt, request, signal), signal);
      const phase: Phase =
        answer.kind === 'checked' ? { state: 'checked' } : { state: 'imported', importId: answer.importId };
      const result = answer.kind === 'checked' ? answer.result : job.value.result;
      job.value = { ...job.value, phase, result, mayHaveArrived: false };
      if (answer.kind === 'imported') settle();
      return;
    } catch (error) {
      if (signal.aborted) return;
      const failure = asApiError(error);
      if (isTold(failure)) {
        job.value = { ...job.value, mayHaveArrived: false };
        settle();
      }
      if (attempt >= TRIES || !isPassing(failure)) throw failure;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
      show({ state: 'waiting', error: failure, at: Date.now() + pauseMs, attempt: attempt + 1 });
      await pause(pauseMs, signal);
      if (signal.aborted) return;
      show(sendingOf(attempt + 1));
    }
  }
}

/** The line, or what stands between us and the gateway; not what a person has to decide. */
function isPassing({ status, code, message }: ApiError): boolean {
  if (status === 0) return message !== FILE_GONE;
  if (code === null) return status === 502 || status === 503 || status === 504;
  return code === 'temporarily_unavailable' || code === 'request_timeout';
}

/** What became of an earlier try is known now: only what the service does not know needs a session. */
function isTold({ code, importId }: ApiError): boolean {
  return code === 'session_required' || importId !== null;
}

function eventsOf(attempt: number, { idempotencyKey }: PackageRequest, signal: AbortSignal): SendingEvents {
  const pace = createPace();
  return {
    onProgress(sent, total) {
      if (signal.aborted) return;
      show({ state: 'sending', sent, total, attempt, ...pace.add(sent, total, performance.now()) });
    },
    onSent() {
      if (signal.aborted) return;
      if (idempotencyKey !== null) job.value = { ...job.value, mayHaveArrived: true };
      show({ state: 'reading', attempt });
    },
  };
}

/** The time, the network being back, or a person ends it. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = resolve;
    signal.addEventListener('abort', () => resolve(), { signal: end.signal });
    addEventListener('online', () => resolve(), { signal: end.signal });
    end.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  end.abort();
  wake = null;
}

function keyOf(chosen: Chosen): string {
  const isKnown =
    key !== null &&
    key.of.file === chosen.file &&
    key.of.comment === chosen.comment &&
    key.of.email === chosen.email;
  if (!isKnown) key = { of: chosen, value: crypto.randomUUID() };
  const { value } = key ?? { value: '' };
  if (unsettledOf(chosen.file)?.key !== value)
    keep(chosen.file, { key: value, comment: chosen.comment, email: chosen.email });
  return value;
}

function sendingOf(attempt: number): Sending {
  return { state: 'sending', sent: 0, total: 0, attempt, perSecond: null, leftMs: null };
}

function show(phase: Phase): void {
  job.value = { ...job.value, phase };
}

/** Whatever screen is looked at: a page that is left takes its upload with it. */
job.subscribe((now) => {
  if (isUnderWay(now)) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
});

function askBeforeLeaving(event: Event): void {
  event.preventDefault();
}
