// @vitest-environment happy-dom
/** Data of the page: polled by ETag while it is visible, and loaded in pages. */
import { act, cleanup, fireEvent, render, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { type Loaded, usePolled } from '../api/use-data.ts';
import { login } from '../auth/login.ts';
import { Messages } from '../screens/webhook/messages.tsx';
import { type Pages, usePages } from '../ui/use-pages.ts';

const PATH = 'getPackageImports';
type List = NonNullable<ReturnType<typeof usePolled<typeof PATH>>['data']>;

const answerOf = (data: unknown, etag: string) => Response.json({ data }, { headers: { etag } });
const THEN = '2026-01-31T12:00:00.000Z';
const EMPTY = { imports: [], counts: null, next_before: null };

let asked: Request[];
let answers: (() => Response)[];
let polled: Loaded<List>;
let drawn: number;

beforeEach(() => {
  asked = [];
  answers = [];
  drawn = 0;
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(request);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new TypeError('no answer');
    return answer();
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function Watcher({ limit, everyMs = 5 }: { limit: number; everyMs?: number }) {
  polled = usePolled(PATH, { query: { limit } }, { everyMs });
  drawn += 1;
  return null;
}

it('a poll sends the ETag of the last answer, and an unchanged answer draws nothing', async () => {
  answers = [() => answerOf(EMPTY, '"1"'), () => new Response(null, { status: 304 })];
  render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.data).toEqual(EMPTY));
  const before = drawn;
  const { data } = polled;
  await waitFor(() => expect(asked.length).toBeGreaterThan(4));
  expect(asked.slice(1).map(({ headers }) => headers.get('if-none-match'))).toEqual(
    asked.slice(1).map(() => '"1"'),
  );
  expect(asked[0]?.headers.get('if-none-match')).toBe(null);
  expect(drawn).toBe(before);
  expect(polled.data).toBe(data);
});

it('the last data stay when the service fails, with its error', async () => {
  const refusal = { status: 'error', message: 'Too busy.', data: { code: 'overloaded' } };
  answers = [
    () => answerOf(EMPTY, '"1"'),
    () => Response.json(refusal, { status: 503, headers: { 'x-request-id': 'r-1' } }),
  ];
  render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.error).not.toBe(null));
  expect(polled.data).toEqual(EMPTY);
  expect(polled.error).toMatchObject({
    status: 503,
    code: 'overloaded',
    message: 'Too busy.',
    requestId: 'r-1',
  });
});

it('polling continues after an outage', async () => {
  answers = [];
  render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.error).toMatchObject({ status: 0, code: null }));
  expect(polled.data).toBe(undefined);
  answers = [() => answerOf(EMPTY, '"1"')];
  await waitFor(() => expect(polled.data).toEqual(EMPTY));
  expect(polled.error).toBe(null);
});

it('an answer that breaks off is a lost connection, whatever its status was', async () => {
  const broken = () =>
    new ReadableStream({
      start(answer) {
        answer.enqueue(new TextEncoder().encode('{"status":"success","data":{"imports":['));
        answer.error(new TypeError('network error'));
      },
    });
  answers = [() => new Response(broken(), { headers: { 'x-request-id': 'r-1' } })];
  render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.error).not.toBe(null));
  expect(polled.error).toMatchObject({
    status: 0,
    message: 'Check the network connection, or try again later.',
  });
});

it('a hidden tab does not poll, and polls at once when it is visible again', async () => {
  answers = [() => answerOf(EMPTY, '"1"')];
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.data).toEqual(EMPTY));
  const before = asked.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(asked.length).toBe(before);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(asked.length).toBeGreaterThan(before));
});

it('data that became stale are as old as the last answer, an unchanged one included', async () => {
  answers = [() => answerOf(EMPTY, '"1"'), () => new Response(null, { status: 304 })];
  render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.data).toEqual(EMPTY));
  const changedAt = polled.checkedAt?.getTime() ?? 0;
  await waitFor(() => expect(Date.now()).toBeGreaterThan(changedAt));
  const before = asked.length;
  await waitFor(() => expect(asked.length).toBeGreaterThan(before + 1));
  answers = [];
  await waitFor(() => expect(polled.error).not.toBe(null));
  expect(polled.checkedAt?.getTime()).toBeGreaterThan(changedAt);
});

it('a connection without an answer is lost after a minute', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', ({ signal }: Request) => {
    const { promise, reject } = Promise.withResolvers();
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  });
  render(<Watcher limit={1} />);
  await act(async () => void (await vi.advanceTimersByTimeAsync(59_000)));
  expect(polled.error).toBe(null);
  await act(async () => void (await vi.advanceTimersByTimeAsync(2_000)));
  expect(polled.error).toMatchObject({ status: 0 });
});

it('an action that ends after its screen was left starts no poll', async () => {
  answers = [() => answerOf(EMPTY, '"1"')];
  const { unmount } = render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.data).toEqual(EMPTY));
  await act(() => void unmount());
  const before = asked.length;
  polled.refresh();
  expect(asked.length).toBe(before);
});

it('the last data and their ETag stay when the pace changes', async () => {
  answers = [() => answerOf(EMPTY, '"1"')];
  const { rerender } = render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.data).toEqual(EMPTY));
  answers = [];
  rerender(<Watcher limit={1} everyMs={6} />);
  await waitFor(() => expect(polled.error).not.toBe(null));
  expect(polled.data).toEqual(EMPTY);
  expect(asked.at(-1)?.headers.get('if-none-match')).toBe('"1"');
});

it('other parameters start without data', async () => {
  answers = [() => answerOf(EMPTY, '"1"')];
  const { rerender } = render(<Watcher limit={1} />);
  await waitFor(() => expect(polled.data).toEqual(EMPTY));
  answers = [];
  rerender(<Watcher limit={2} />);
  expect(polled.data).toBe(undefined);
  await waitFor(() => expect(asked.at(-1)?.url).toContain('limit=2'));
  expect(asked.at(-1)?.headers.get('if-none-match')).toBe(null);
});

describe('lists in pages', () => {
  type Line = { id: string };

  /** Ten lines in pages of three; the cursor is the name of the last line of a page. */
  function answerOf(request: Request): Response {
    const names = Array.from({ length: 10 }, (_, n) => `line-${9 - n}`);
    const before = new URL(request.url).searchParams.get('before');
    const start = before === null ? 0 : names.indexOf(before) + 1;
    const statistics = names.slice(start, start + 3).map((client_id) => ({ client_id }));
    const next_before = start + 3 < names.length ? statistics.at(-1)?.client_id : null;
    return Response.json({ data: { statistics, next_before } });
  }

  it.each([
    [1, 3, true],
    [7, 9, true],
    [100, 10, false],
  ])('at least %d of 10 rows: %d are loaded, and more exist: %s', async (atLeast, loaded, hasMore) => {
    let pages: Pages<Line> | undefined;
    function List() {
      pages = usePages(
        'getStatistics',
        { query: {} },
        { rowsOf: ({ statistics }) => statistics.map(({ client_id: id }) => ({ id })), atLeast },
      );
      return null;
    }
    vi.stubGlobal('fetch', async (request: Request) => answerOf(request));
    render(<List />);
    await waitFor(() => expect(pages?.list?.rows).toHaveLength(loaded));
    expect(pages?.list?.rows.map(({ id }) => id)).toEqual(
      Array.from({ length: loaded }, (_, n) => `line-${9 - n}`),
    );
    await waitFor(() => expect([pages?.hasMore, pages?.loading]).toEqual([hasMore, false]));
  });

  it('an error behind an empty page is shown, and tried again', async () => {
    const fetched: (string | null)[] = [];
    let isUp = false;
    vi.stubGlobal('fetch', async ({ url }: Request) => {
      const before = new URL(url).searchParams.get('before');
      fetched.push(before);
      if (before !== null && !isUp)
        return Response.json({ status: 'error', message: 'Too busy.', data: {} }, { status: 503 });
      const deliveries = before === null ? [] : [{ id: 3, status: 'delivered', created_at: THEN }];
      return Response.json({ data: { deliveries, next_before: before === null ? 9 : null } });
    });
    const { findByText, findByRole } = render(<Messages />);
    await findByText('Too busy.');
    isUp = true;
    fireEvent.click(await findByRole('button', { name: 'Try again' }));
    await findByText('1 message');
    expect(fetched.filter((before) => before !== null)).toEqual(['9', '9']);
  });

  it('a row of an older page is loaded again while it may change', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const statuses = new Map([
      [9, 'delivered'],
      [3, 'failed'],
    ]);
    vi.stubGlobal('fetch', async ({ url, method }: Request) => {
      if (method === 'POST') statuses.set(3, 'delivered');
      const id = new URL(url).searchParams.has('before') ? 3 : 9;
      const deliveries = [
        { id, status: statuses.get(id), created_at: THEN, size_bytes: 0, attempts: 1, last_attempt_at: null },
      ];
      return Response.json({ data: { deliveries, next_before: id === 9 ? 9 : null } });
    });
    // The DOM has no layout here: the table gets the height of ten rows.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400);
    const permissions = new Set([OPERATIONS.postWebhookRedelivery.permission]);
    login.value = { state: 'in', person: { name: 'operator', permissions } };
    const { findByText, findByRole, getByRole } = render(<Messages />);
    fireEvent.click(await findByText('Failed'));
    fireEvent.click(await findByRole('button', { name: 'Send again' }));
    await waitFor(() => expect(statuses.get(3)).toBe('delivered'));
    await act(async () => void (await vi.advanceTimersByTimeAsync(5_000)));
    await waitFor(() => expect(getByRole('dialog').textContent).toContain('Delivered'));
  });

  /** A list of one client, and its pages as they were drawn last. */
  function listWith(atLeast: number) {
    let pages: Pages<Line> | undefined;
    function List({ of }: { of: string }) {
      pages = usePages(
        'getStatistics',
        { query: { client_id: of } },
        { rowsOf: ({ statistics }) => statistics.map(({ client_id: id }) => ({ id })), atLeast },
      );
      return null;
    }
    return { List, pages: () => pages };
  }

  it('another request loads its older pages while those of the last one are on their way, or have failed', async () => {
    const { List, pages } = listWith(4);
    const slow = Promise.withResolvers<Response>();
    const olderOf: string[] = [];
    vi.stubGlobal('fetch', async (request: Request) => {
      const { searchParams } = new URL(request.url);
      const of = searchParams.get('client_id') ?? '';
      if (searchParams.has('before')) olderOf.push(of);
      return of === 'slow' && searchParams.has('before') ? slow.promise : answerOf(request);
    });
    const { rerender } = render(<List of="slow" />);
    await waitFor(() => expect(olderOf).toEqual(['slow']));
    rerender(<List of="quick" />);
    await waitFor(() => expect(olderOf).toEqual(['slow', 'quick']));
    slow.reject(new TypeError('no network'));
    await waitFor(() => expect([pages()?.list?.rows.length, pages()?.loading]).toEqual([6, false]));
    expect(pages()?.error).toBe(null);
  });

  it('a page of an earlier request of the same list leaves no gap', async () => {
    const { List, pages } = listWith(7);
    const slow = Promise.withResolvers<void>();
    let isBack = false;
    vi.stubGlobal('fetch', async (request: Request) => {
      const { searchParams } = new URL(request.url);
      const before = searchParams.get('before');
      if (searchParams.get('client_id') === 'one' && before === 'line-4') await slow.promise;
      if (isBack && before !== null && before !== 'line-4') return new Promise(() => {});
      return answerOf(request);
    });
    const { rerender } = render(<List of="one" />);
    await waitFor(() => expect(pages()?.list?.rows).toHaveLength(6));
    rerender(<List of="other" />);
    await waitFor(() => expect(pages()?.list?.rows).toHaveLength(9));
    isBack = true;
    rerender(<List of="one" />);
    await waitFor(() => expect(pages()?.list?.rows).toHaveLength(3));
    slow.resolve();
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(pages()?.list?.rows.map(({ id }) => id)).toEqual(['line-9', 'line-8', 'line-7']);
  });
});
