// @vitest-environment happy-dom
/** Polled data: requested by ETag, only while the page is visible, and kept when the service is unavailable. */
import { cleanup, render, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Polled, usePolled } from '../api/use-polled.ts';

const PATH = 'getPackageImports';
type List = NonNullable<ReturnType<typeof usePolled<typeof PATH>>['data']>;

const answerOf = (data: unknown, etag: string) =>
  new Response(JSON.stringify({ status: 'success', message: 'Package imports.', data }), {
    headers: { 'content-type': 'application/json', etag },
  });
const EMPTY = { imports: [], counts: null, next_before: null };

let asked: Request[];
let answers: (() => Response)[];
let polled: Polled<List>;
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
  vi.unstubAllGlobals();
});

function Watcher({ limit }: { limit: number }) {
  polled = usePolled(PATH, { query: { limit } }, { everyMs: 5 });
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
    () => new Response(JSON.stringify(refusal), { status: 503, headers: { 'x-request-id': 'r-1' } }),
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
