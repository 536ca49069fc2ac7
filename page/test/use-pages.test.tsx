// @vitest-environment happy-dom
/** Lists in pages: rows that are loaded without a click, by a cursor that is a text. */
import { cleanup, render, waitFor } from '@testing-library/preact';
import { afterEach, expect, it, vi } from 'vitest';
import { type Pages, usePages } from '../ui/use-pages.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

type Line = { id: string };

/** Ten lines in pages of three; the cursor is the name of the last line of a page. */
function answerOf(request: Request): Response {
  const names = Array.from({ length: 10 }, (_, n) => `line-${9 - n}`);
  const before = new URL(request.url).searchParams.get('before');
  const start = before === null ? 0 : names.indexOf(before) + 1;
  const statistics = names.slice(start, start + 3).map((client_id) => ({ client_id }));
  const next_before = start + 3 < names.length ? statistics.at(-1)?.client_id : null;
  return new Response(JSON.stringify({ data: { statistics, next_before } }));
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
  vi.stubGlobal(
    'fetch',
    vi.fn(async (request: Request) => answerOf(request)),
  );
  render(<List />);
  await waitFor(() => expect(pages?.list?.rows).toHaveLength(loaded));
  expect(pages?.list?.rows.map(({ id }) => id)).toEqual(
    Array.from({ length: loaded }, (_, n) => `line-${9 - n}`),
  );
  await waitFor(() => expect([pages?.hasMore, pages?.loading]).toEqual([hasMore, false]));
});
