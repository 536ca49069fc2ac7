/** Looks everywhere for a text, with the searches of the API, each of which is bounded. */
import { idIn, PRODUCT_ID_PATTERN } from '../../../src/contract/limits.ts';
import type { ImportListQuery, ImportSummary, Submission } from '../../../src/contract/types.ts';
import { ApiError, call } from '../../api/client.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { searchOf } from '../../ui/format.tsx';

export interface Hit {
  href: string;
  title: string;
  about: string;
}

/** Further imports that contain the text: the list of imports with this filter shows them. */
export interface Further {
  filter: 'file_name' | 'comment';
  href: string;
}

export interface Found {
  hits: Hit[];
  further: Further[];
  /** The screen of the only hit; null if there are none or several. */
  only: string | null;
}

/** Hits of each search that are shown. */
const SHOWN = 5;

/** @throws ApiError */
export async function find(text: string): Promise<Found> {
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
