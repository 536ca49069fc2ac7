/**
 * The hits of a search everywhere, by the searches of the API, each of which is bounded. A single hit is opened at
 * once.
 */
import { useLocation } from 'preact-iso';
import { idIn, PRODUCT_ID_PATTERN } from '../../../src/contract/limits.ts';
import type { ImportListQuery, ImportSummary, Submission } from '../../../src/contract/types.ts';
import { ApiError, call } from '../../api/client.ts';
import { useLoaded } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { countOf, searchOf } from '../../ui/format.tsx';
import { EmptyState, LoadedContent, Loading, Screen } from '../../ui/states.tsx';

export default function SearchScreen() {
  const text = (useLocation().query.q ?? '').trim();
  return (
    <Screen title={text === '' ? 'Search' : `Search: ${text}`}>
      {text === '' ? (
        <EmptyState title="Enter a search term">
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

interface Hit {
  href: string;
  title: string;
  about: string;
}

/** Further imports that contain the text: the list of imports with this filter shows them. */
interface Further {
  filter: 'file_name' | 'comment';
  href: string;
}

interface Found {
  hits: Hit[];
  further: Further[];
  /** The screen of the only hit; null if there are none or several. */
  only: string | null;
}

/** Hits of each search that are shown. */
const SHOWN = 5;

/** @throws ApiError */
async function find(text: string): Promise<Found> {
  const [byId, names, comments] = await Promise.all([
    findById(text),
    findImports('file_name', text),
    findImports('comment', text),
  ]);
  const all = [...byId, ...names.hits, ...comments.hits];
  const hits = [...new Map(all.map((hit) => [hit.title, hit])).values()];
  const further = [...names.further, ...comments.further];
  const isOnly = hits.length === 1 && (byId.length > 0 || further.length === 0);
  return { hits, further, only: isOnly ? (hits[0]?.href ?? null) : null };
}

async function findById(text: string): Promise<Hit[]> {
  const submissions = (query: { product_id?: string; case_id?: string; job_id?: string }) =>
    call('getSubmissions', { query: { ...query, limit: SHOWN } }).then((page) => page.submissions);
  const searches: Promise<Hit[]>[] = [];
  const id = idIn(text);
  if (id !== null) {
    const params = { id };
    const summary = call('getPackageImport', { params, query: { view: 'summary' } });
    searches.push(known(summary.then((one) => [importHit(one as ImportSummary)])));
    if (can('getSubmission'))
      searches.push(known(call('getSubmission', { params }).then((one) => [submissionHit(one)])));
  }
  if (can('getSubmissions')) {
    searches.push(submissions({ case_id: text }).then((some) => some.map(submissionHit)));
    if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text))
      searches.push(submissions({ job_id: text }).then((some) => some.map(submissionHit)));
    if (PRODUCT_ID_PATTERN.test(text))
      searches.push(submissions({ product_id: text }).then((some) => some.slice(0, 1).map(productHit)));
  }
  return (await Promise.all(searches)).flat();
}

async function findImports(filter: Further['filter'], text: string) {
  const query: ImportListQuery = { [filter]: text, limit: SHOWN };
  const { imports, next_before } = await call('getPackageImports', { query });
  const href = to(searchOf({ [filter]: text }));
  return { hits: imports.map(importHit), further: next_before === null ? [] : [{ filter, href }] };
}

/** No hits where the record does not exist, or belongs to another client. */
function known(hits: Promise<Hit[]>): Promise<Hit[]> {
  return hits.catch((error) => {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  });
}

function importHit({ id, file_name, comment }: ImportSummary): Hit {
  const about = comment ? `${file_name}: ${comment}` : file_name;
  return { href: to(`imports/${id}`), title: `Import ${id}`, about };
}

function submissionHit(submission: Submission): Hit {
  const { id, product_id, case_id, zip_import_id } = submission;
  const about = `Product ${product_id} in import ${zip_import_id.id}${case_id === null ? '' : `, case ${case_id}`}`;
  return { ...productHit(submission), title: `Submission ${id}`, about };
}

function productHit({ product_id }: Submission): Hit {
  const href = to(`products/${product_id}`);
  return { href, title: `Product ${product_id}`, about: 'All its submissions' };
}
