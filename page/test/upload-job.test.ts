// @vitest-environment happy-dom
/** Attempts of an upload: a lost attempt is sent again under the same key, a refused attempt waits for a person. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cancel, type Job, job, reset, start, tryNow } from '../screens/upload/upload-job.ts';

/** A request of the page, which the test answers. */
class FakeRequest {
  static readonly HEADERS_RECEIVED = 2;
  readonly upload: {
    onprogress?: (event: { loaded: number; total: number }) => void;
    onload?: () => void;
  } = {};
  readonly headers: Record<string, string> = {};
  url = '';
  body: FormData | null = null;
  status = 0;
  readyState = 0;
  response: unknown = null;
  aborted = false;
  onreadystatechange?: () => void;
  onload?: () => void;
  onerror?: () => void;
  onloadend?: () => void;
  #answered: Record<string, string> = {};

  open(_method: string, url: string) {
    this.url = url;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  send(body: FormData) {
    this.body = body;
    requests.push(this);
  }
  abort() {
    this.aborted = true;
    this.onloadend?.();
  }
  getResponseHeader(name: string) {
    return new Headers(this.#answered).get(name);
  }

  sendWhole() {
    this.upload.onprogress?.({ loaded: 100, total: 100 });
    this.upload.onload?.();
  }
  lose() {
    this.onerror?.();
    this.onloadend?.();
  }
  answer(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.#answered = headers;
    this.readyState = FakeRequest.HEADERS_RECEIVED;
    this.onreadystatechange?.();
    if (this.aborted) return;
    this.response = body;
    this.onload?.();
    this.onloadend?.();
  }
}

let requests: FakeRequest[];
const file = new File(['zip'], 'package.zip');
const CHOSEN = { file, comment: 'June', email: '' };
const IMPORTED = { Location: '/prefix/regulator/package-imports/7' };

const refusal = (code: string, data = {}) => ({ status: 'error', message: code, data: { code, ...data } });
const next = (count: number) => vi.waitFor(() => expect(requests).toHaveLength(count));
const phase = <S extends Job['phase']['state']>(state: S) =>
  vi.waitFor(() => {
    expect(job.value.phase.state).toBe(state);
    return job.value.phase as Extract<Job['phase'], { state: S }>;
  });
const keyOf = (request: FakeRequest | undefined) => request?.headers['Idempotency-Key'];
function last(): FakeRequest {
  const request = requests.at(-1);
  if (!request) throw new Error('nothing was sent');
  return request;
}

beforeEach(() => {
  requests = [];
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  reset();
});
afterEach(() => {
  reset();
  vi.unstubAllGlobals();
});

it('a dry run is requested by the query, without a key, and its result stays during the import', async () => {
  const result = { dry_run: true, products: [] };
  void start('dryRun', CHOSEN);
  await next(1);
  expect(last().url).toMatch(/\/regulator\/package-import\?dry_run=true&diff=true$/);
  expect(keyOf(last())).toBe(undefined);
  expect([last().body?.get('comment'), last().body?.has('email')]).toEqual(['June', false]);
  last().answer(200, { data: result });
  await phase('checked');
  void start('import', CHOSEN);
  await next(2);
  expect(last().url).toMatch(/\/regulator\/package-import$/);
  expect(job.value.result).toEqual(result);
});

it('a lost attempt is repeated under the same key', async () => {
  void start('import', CHOSEN);
  await next(1);
  last().sendWhole();
  last().lose();
  expect((await phase('waiting')).attempt).toBe(2);
  expect(job.value.mayHaveArrived).toBe(true);
  tryNow();
  await next(2);
  last().answer(502, null);
  await phase('waiting');
  dispatchEvent(new Event('online'));
  await next(3);
  last().answer(200, {}, IMPORTED);
  expect((await phase('imported')).importId).toBe(7);
  expect(keyOf(requests[0])).toMatch(/^[\da-f-]{36}$/);
  expect(new Set(requests.map(keyOf)).size).toBe(1);
});

it('the headers of the answer name the import; the body is not read', async () => {
  void start('import', CHOSEN);
  await next(1);
  last().answer(200, {}, IMPORTED);
  await phase('imported');
  expect(last().aborted).toBe(true);
});

it.each([
  [412, 'session_required', {}, null],
  [413, 'file_too_large', {}, null],
  [429, 'too_many_requests', { 'Retry-After': '42' }, 42],
  [503, 'overloaded', { 'Retry-After': '5' }, 5],
] as const)('the answer %s ends the attempts and keeps the key', async (status, code, headers, wait) => {
  void start('import', CHOSEN);
  await next(1);
  last().answer(status, refusal(code), headers);
  const { error } = await phase('refused');
  expect(error).toMatchObject({ status, code, retryAfterSeconds: wait });
  expect(job.value.mayHaveArrived).toBe(false);
  void start('import', CHOSEN);
  await next(2);
  expect(keyOf(requests[1])).toBe(keyOf(requests[0]));
});

it('another comment gets another key', async () => {
  void start('import', CHOSEN);
  await next(1);
  last().answer(503, refusal('overloaded'));
  await phase('refused');
  void start('import', { ...CHOSEN, comment: 'July' });
  await next(2);
  expect(keyOf(requests[1])).not.toBe(keyOf(requests[0]));
});

it('an import that may have arrived stays marked after a refusal that does not settle it', async () => {
  void start('import', CHOSEN);
  await next(1);
  last().sendWhole();
  last().lose();
  await phase('waiting');
  tryNow();
  await next(2);
  last().answer(429, refusal('too_many_requests'));
  await phase('refused');
  expect(job.value.mayHaveArrived).toBe(true);
  void start('import', CHOSEN);
  await next(3);
  // The service asks for a session only when it does not know the key.
  last().answer(412, refusal('session_required'));
  await phase('refused');
  expect(job.value.mayHaveArrived).toBe(false);
});

it('a file that changed since it was chosen is not sent again', async () => {
  const gone = new File(['zip'], 'package.zip');
  gone.slice = () => {
    throw new DOMException('It has changed.', 'NotReadableError');
  };
  void start('import', { ...CHOSEN, file: gone });
  await next(1);
  last().lose();
  expect((await phase('refused')).error.message).toContain('Choose it again');
});

it('a connection that accepts nothing for a minute is given up, and the upload is tried again', async () => {
  vi.useFakeTimers();
  try {
    void start('dryRun', CHOSEN);
    last().upload.onprogress?.({ loaded: 10, total: 100 });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(job.value.phase).toMatchObject({ state: 'sending', sent: 10 });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(requests[0]?.aborted).toBe(true);
    expect(job.value.phase.state).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requests).toHaveLength(2);
    last().sendWhole();
    // Reading has no time limit.
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(job.value.phase.state).toBe('reading');
  } finally {
    vi.useRealTimers();
  }
});

it('an upload ends after its last attempt', async () => {
  vi.useFakeTimers();
  try {
    void start('import', CHOSEN);
    for (let attempts = 0; attempts < 50 && job.value.phase.state !== 'refused'; attempts += 1) {
      last().lose();
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(job.value.phase).toMatchObject({ state: 'refused', error: { status: 0 } });
    expect(requests).toHaveLength(12);
  } finally {
    vi.useRealTimers();
  }
});

it('a cancelled upload ends its request and its pauses, and reports nothing more', async () => {
  void start('import', CHOSEN);
  await next(1);
  cancel();
  expect(last().aborted).toBe(true);
  last().upload.onprogress?.({ loaded: 1, total: 2 });
  last().lose();
  await Promise.resolve();
  expect(job.value).toMatchObject({ phase: { state: 'cancelled' }, mayHaveArrived: false });
  void start('import', CHOSEN);
  await next(2);
  last().sendWhole();
  last().lose();
  await phase('waiting');
  cancel();
  expect(job.value).toMatchObject({ phase: { state: 'cancelled' }, mayHaveArrived: true });
  dispatchEvent(new Event('online'));
  await Promise.resolve();
  expect(requests).toHaveLength(2);
});

it('the page asks before it is left during an upload, and not after it', async () => {
  const asks = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(asks()).toBe(false);
  void start('dryRun', CHOSEN);
  await next(1);
  expect(asks()).toBe(true);
  cancel();
  expect(asks()).toBe(false);
});

it('another file gets another key, and the storage of the browser stays empty', async () => {
  void start('import', CHOSEN);
  await next(1);
  reset();
  void start('import', CHOSEN);
  await next(2);
  expect(keyOf(last())).not.toBe(keyOf(requests[0]));
  expect({ ...sessionStorage, ...localStorage }).toEqual({});
});
