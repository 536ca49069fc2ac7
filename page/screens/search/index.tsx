/** The hits of a search. A single one is opened at once. */
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type ApiError, asApiError } from '../../api/client.ts';
import { EmptyState, ErrorState, Loading, Screen } from '../../ui/states.tsx';
import { type Found, find, type Hit } from './find.ts';

type State = { found: Found } | { error: ApiError } | null;

export default function SearchScreen() {
  const { route, query } = useLocation();
  const text = (query.q ?? '').trim();
  const [state, setState] = useState<State>(null);
  const [tries, setTries] = useState(0);

  useEffect(() => {
    let isLeft = false;
    setState(null);
    if (text === '') return;
    find(text).then(
      (found) => {
        if (isLeft) return;
        if (found.only === null) setState({ found });
        // The way back leads to the screen before the search.
        else route(found.only, true);
      },
      (error) => isLeft || setState({ error: asApiError(error) }),
    );
    return () => {
      isLeft = true;
    };
  }, [text, tries]);

  if (text === '')
    return (
      <Screen title="Search">
        <EmptyState title="Enter what you look for">
          <p>
            The ID of a product, import, submission, case or job, or a part of a file name or comment. The key{' '}
            <kbd>/</kbd> leads to the search from every screen.
          </p>
        </EmptyState>
      </Screen>
    );
  return (
    <Screen title={`Search: ${text}`}>
      {state === null && <Loading />}
      {state !== null && 'error' in state && (
        <ErrorState error={state.error} onRetry={() => setTries(tries + 1)} />
      )}
      {state !== null && 'found' in state && <Hits found={state.found} />}
    </Screen>
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
        <p role="status">{hits.length === 1 ? '1 hit' : `${hits.length} hits`}</p>
      )}
      <Group title="Imports" hits={hits.filter(({ kind }) => kind === 'import')} />
      <Group title="Products" hits={hits.filter(({ kind }) => kind === 'product')} />
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

function Group({ title, hits }: { title: string; hits: readonly Hit[] }) {
  if (hits.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul class="list">
        {hits.map((hit) => (
          <li key={hit.title}>
            <a href={hit.href}>{hit.title}</a>
            <div class="muted">{hit.about}</div>
          </li>
        ))}
      </ul>
    </section>
  );
}
