/** The hits of a search. A single one is opened at once. */
import { useLocation } from 'preact-iso';
import { useLoaded } from '../../api/use-loaded.ts';
import { countOf } from '../../ui/format.tsx';
import { EmptyState, LoadedContent, Loading, Screen } from '../../ui/states.tsx';
import { type Found, find } from './find.ts';

export default function SearchScreen() {
  const text = (useLocation().query.q ?? '').trim();
  return (
    <Screen title={text === '' ? 'Search' : `Search: ${text}`}>
      {text === '' ? (
        <EmptyState title="Enter what you look for">
          <p>
            The ID of a product, import, submission, case or job, or a part of a file name or comment. The key{' '}
            <kbd>/</kbd> leads to the search from every screen.
          </p>
        </EmptyState>
      ) : (
        <Results text={text} />
      )}
    </Screen>
  );
}

function Results({ text }: { text: string }) {
  const { route } = useLocation();
  const found = useLoaded(
    async (signal) => {
      const all = await find(text);
      // The way back leads to the screen before the search.
      if (all.only !== null && !signal.aborted) route(all.only, true);
      return all;
    },
    [text],
  );
  return (
    <LoadedContent of={found}>
      {/* The screen of the only hit opens. */}
      {(all) => (all.only === null ? <Hits found={all} /> : <Loading />)}
    </LoadedContent>
  );
}

function Hits({ found: { hits, further } }: { found: Found }) {
  return (
    <div class="stack">
      {hits.length === 0 ? (
        <EmptyState title="Nothing found">
          <p>An ID is found as a whole, a file name and a comment by a part of them.</p>
        </EmptyState>
      ) : (
        <section class="card stack" aria-label="Hits">
          <p role="status">{countOf(hits.length, 'hit')}</p>
          <ul class="stack">
            {hits.map(({ href, title, about }) => (
              <li key={title}>
                <a href={href}>{title}</a>
                <div class="muted">{about}</div>
              </li>
            ))}
          </ul>
        </section>
      )}
      {further.map(({ filter, href }) => (
        <p key={filter}>
          <a href={href}>
            Look through all imports by {filter === 'comment' ? 'their comment' : 'their file name'}
          </a>
        </p>
      ))}
    </div>
  );
}
