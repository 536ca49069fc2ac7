// @vitest-environment happy-dom
/** The list of imports, and one import, as people see them: notes, times, products. */
import { act, cleanup, render, within } from '@testing-library/preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GREATEST_ID } from '../../src/contract/limits.ts';
import { OPERATIONS, type ProtectedOperationId } from '../../src/contract/operations.ts';
import type { ImportOutcome, ImportSummary, OutcomePage, Submission } from '../../src/contract/types.ts';
import { refreshAll } from '../api/use-data.ts';
import { login } from '../auth/login.ts';
import { CancelConsequences } from '../screens/import/actions.tsx';
import { Header, momentsOf } from '../screens/import/header.tsx';
import ImportScreen from '../screens/import/index.tsx';
import { rowOf } from '../screens/import/outcomes.tsx';
import ImportsScreen from '../screens/imports/index.tsx';

// The gateway serves the address of the Temporal Web UI; here it is absent.
vi.mock('../settings.ts', async (original) => ({
  ...(await original()),
  settings: () => ({ temporal: null }),
}));

beforeEach(() => {
  login.value = { state: 'in', person: { name: 'operator', permissions: new Set() } };
  // The DOM has no layout here: the table gets the height of ten rows.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(560);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function allow(...ids: ProtectedOperationId[]): void {
  const permissions = new Set(ids.map((id) => OPERATIONS[id].permission));
  login.value = { state: 'in', person: { name: 'operator', permissions } };
}

const NONE = { local: 0, regulator_insert_failed: 0, regulator_inserted: 0, regulator_inserting: 0 };

const summaryOf = (rest: Partial<ImportSummary> = {}) =>
  ({
    id: 7,
    client_id: 'company',
    file_name: 'package.zip',
    comment: null,
    status: 'completed',
    zip_file: { uploaded_at: '2026-01-31T12:00:00.000Z', size_mb: '0.03' },
    warned: 0,
    refused: 0,
    read_at: '2026-01-31T12:00:20.000Z',
    notification: null,
    retried: false,
    failure_reason: null,
    completed_at: '2026-01-31T12:01:00.000Z',
    actions: [],
    cancellation: null,
    progress: NONE,
    ...rest,
  }) as unknown as ImportSummary;

const runningOf = (regulator_inserted: number, regulator_inserting: number) =>
  summaryOf({ status: 'inserting', progress: { ...NONE, regulator_inserted, regulator_inserting } });

it.each([
  ['invalid_package', 'The package could not be read.'],
  ['storage_full', 'The import failed.'],
  ['import_failed', 'The import failed.'],
] as const)(
  'the header of an import that failed with %s names the package only if it is at fault',
  (failure_code, text) => {
    const summary = summaryOf({ status: 'failed', failure_code, failure_reason: 'The reason.' });
    render(<Header summary={summary} counts={null} />).getByText(text);
  },
);

it.each([
  [1, 0, 'of 1 product'],
  [1, 1, 'of 2 products'],
])('the header of an import counts %d inserted and %d running products', (inserted, inserting, text) => {
  render(<Header summary={runningOf(inserted, inserting)} counts={null} />).getByText(text);
});

it.each([
  [
    1,
    1,
    '1 inserted product stays with the regulator.1 running insert finishes its current call and then fails.',
  ],
  [
    0,
    2,
    '0 inserted products stay with the regulator.2 running inserts finish their current call and then fail.',
  ],
])(
  'the question before a cancellation names %d inserted and %d running products',
  (inserted, inserting, text) => {
    const { container } = render(<CancelConsequences progress={runningOf(inserted, inserting).progress} />);
    expect(container.textContent).toContain(text);
  },
);

it('the time of a running import continues without an answer of the service', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-31T12:01:00.000Z') });
  const { getByText } = render(<Header summary={summaryOf({ completed_at: null })} counts={null} />);
  const shown = () => getByText('Running for').nextElementSibling?.textContent;
  expect(shown()).toBe('1 min');
  await act(() => void vi.advanceTimersByTime(59 * 60_000));
  expect(shown()).toBe('1 h');
});

it('a time of today gets its date when the day is over', async () => {
  vi.useFakeTimers({ now: new Date(2026, 0, 31, 23, 59) });
  vi.resetModules();
  const { Time } = await import('../ui/format.tsx');
  const { container } = render(<Time value={new Date(2026, 0, 31, 8).toISOString()} />);
  expect(container.textContent).toBe('08:00:00 AM');
  await act(() => void vi.advanceTimersByTime(120_000));
  expect(container.textContent).toBe('Jan 31, 2026, 08:00:00 AM');
});

it('the moments of an import are in order of time', () => {
  const moments = momentsOf(summaryOf(), undefined);
  expect(moments.map(({ title }) => title)).toEqual(['Uploaded', 'Package read', 'Completed']);
});

const submissionOf = (status: Submission['status']) =>
  ({
    id: 4,
    status,
    product_id: '99962-26-00004',
    case_id: null,
    job_id: null,
    warnings: [],
    reasons: [],
    actions: [],
    created_at: '2026-01-31T12:00:10.000Z',
    updated_at: '2026-01-31T12:00:10.000Z',
    state: {},
    regulator_data: { product_type: 'Liquid' },
  }) as unknown as Submission;

const failedOf = (id: number) =>
  ({
    ...submissionOf('regulator_insert_failed'),
    ...{ id, product_id: `99962-26-0000${id}`, actions: ['regulator-insert'] },
  }) as Submission;

/** A page of the list with these submissions, and no further one. */
function outcomesOf(submissions: Submission[]): OutcomePage {
  const outcomes = submissions.map((one): ImportOutcome => ({ ...rowOf(one), id: `place-${one.id}` }));
  const by_outcome = { refused: 0, failed: 0, not_queued: 0, inserting: 0 };
  const others = { waiting: 0, inserted: 0, skipped: 0, unreadable: 0 };
  for (const { outcome } of outcomes) if (outcome in by_outcome) by_outcome[outcome as 'failed'] += 1;
  const retryable = submissions.filter(({ actions }) => actions.length > 0).length;
  return {
    outcomes,
    counts: { by_outcome: { ...by_outcome, ...others }, warned: 0, retryable },
    next_before: null,
  };
}

const NO_DELIVERIES = { deliveries: [], next_before: null };

/** Answers as the gateway does. @param data by a part of the address; the first part that an address has decides */
function serve(data: Record<string, () => unknown>) {
  const asked: string[] = [];
  const known = { '/deliveries': () => NO_DELIVERIES, 'view=summary': () => summaryOf(), ...data };
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    asked.push(url);
    const answer = Object.entries(known).find(([part]) => url.includes(part))?.[1]();
    return answer instanceof Response || answer instanceof Promise ? answer : Response.json({ data: answer });
  });
  return asked;
}

it('a product stays open when its row leaves the filter', async () => {
  const failed = submissionOf('regulator_insert_failed');
  let listed = [failed];
  serve({
    '/outcomes': () => outcomesOf(listed),
    '/submissions/4': () => submissionOf('regulator_inserting'),
  });
  const { findByRole, queryByRole } = openImport('7?show=failed&product=4');
  const dialog = await findByRole('dialog', { name: '99962-26-00004' });
  listed = [];
  await act(refreshAll);
  await vi.waitFor(() => expect(queryByRole('row', { name: /99962-26-00004/ })).toBeNull());
  expect(dialog.isConnected).toBe(true);
});

it('a product of another page is opened by its address', async () => {
  allow('getSubmission');
  serve({ '/outcomes': () => outcomesOf([failedOf(5)]), '/submissions/4': () => failedOf(4) });
  const { findByRole } = openImport('7?product=4');
  await findByRole('dialog', { name: '99962-26-00004' });
});

it('the step to the next product continues on the next page of the list', async () => {
  serve({
    'before=place-4': () => outcomesOf([failedOf(5)]),
    '/outcomes': () => ({ ...outcomesOf([failedOf(4)]), next_before: 'place-4' }),
  });
  const { findByRole } = openImport('7?product=4');
  const dialog = within(await findByRole('dialog', { name: '99962-26-00004' }));
  const next = dialog.getByRole('button', { name: 'Next →' });
  await vi.waitFor(() => expect(next).toHaveProperty('disabled', false));
  await act(() => next.click());
  dialog.getByRole('heading', { name: '99962-26-00005' });
});

/** An import with failed products, whose retry is answered later. */
function openWithRetry(address: string, ...ids: number[]) {
  allow('postSubmissionAction');
  const answer = Promise.withResolvers<Response>();
  const asked = serve({
    '/submissions/': () => answer.promise,
    '/outcomes': () => outcomesOf(ids.map(failedOf)),
  });
  /** Until the page has received it: each action ends with a poll of everything. */
  const refuse = async () => {
    const before = asked.length;
    answer.resolve(Response.json({ message: 'It cannot be run.' }, { status: 409 }));
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before));
  };
  return { ...openImport(address), refuse };
}

it('a refused retry is not shown on an import that is opened before the answer', async () => {
  const { findByRole, queryByRole, refuse } = openWithRetry('7', 4);
  (await findByRole('button', { name: 'Retry 99962-26-00004' })).click();
  await act(() => {
    history.replaceState(null, '', '/app/imports/8');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await findByRole('button', { name: 'Retry 99962-26-00004' });
  await refuse();
  expect(queryByRole('alert')).toBeNull();
});

it('a refused retry is shown once: in the dialog of its product, or above the list with its name', async () => {
  const { findByRole, getAllByRole, refuse } = openWithRetry('7?product=4', 4);
  const dialog = within(await findByRole('dialog'));
  dialog.getByRole('button', { name: 'Retry 99962-26-00004' }).click();
  await refuse();
  await dialog.findByText('It cannot be run.');
  expect(getAllByRole('alert')).toHaveLength(1);
  await act(() => dialog.getByRole('button', { name: 'Close' }).click());
  expect(getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^99962-26-00004: It cannot be run\./),
  ]);
});

it('a refused retry is shown with its own product, also when the answer comes after the step to another one', async () => {
  const { findByRole, refuse } = openWithRetry('7?product=4', 4, 5);
  const dialog = within(await findByRole('dialog'));
  const press = (name: string) => act(() => dialog.getByRole('button', { name }).click());
  await press('Retry 99962-26-00004');
  await press('Next →');
  await act(refuse);
  dialog.getByRole('heading', { name: '99962-26-00005' });
  expect(dialog.queryByText('It cannot be run.')).toBeNull();
  await press('← Previous');
  await dialog.findByText('It cannot be run.');
});

it('an import without products says so when it is over', async () => {
  let completed_at: string | null = null;
  serve({ '/outcomes': () => outcomesOf([]), 'view=summary': () => summaryOf({ completed_at }) });
  const { findByRole } = openImport(7);
  await findByRole('heading', { name: 'No product has been read yet' });
  completed_at = '2026-01-31T12:01:00.000Z';
  await act(refreshAll);
  await findByRole('heading', { name: 'The package has no products' });
});

function list(imports: ImportSummary[]) {
  vi.stubGlobal('fetch', async () => Response.json({ data: { imports, counts: null, next_before: null } }));
  history.replaceState(null, '', '/app/');
  return render(
    <LocationProvider>
      <ImportsScreen />
    </LocationProvider>,
  );
}

it('each import with refused files has their number as its note, which a narrow table keeps', async () => {
  const { findByText } = list([summaryOf({ refused: 2 })]);
  const cell = (await findByText('2 refused')).closest('[role="gridcell"]');
  expect(cell?.classList.contains('wide')).toBe(false);
});

it('an import without any submission is no plain success', async () => {
  const { findByText } = list([summaryOf()]);
  await findByText('None imported');
});

/** @param address its id, which a query may follow */
function openImport(address: number | string) {
  history.replaceState(null, '', `/app/imports/${address}`);
  return render(
    <LocationProvider>
      <Router>{[<Route key="import" path="/app/imports/:id" component={ImportScreen} />]}</Router>
    </LocationProvider>,
  );
}

it('a download that takes long is seen, and leaves the retry free', async () => {
  allow('getOriginalPackage', 'postImportRetry');
  serve({
    '/7/package': () => new Promise(() => {}),
    '/outcomes': () => outcomesOf([failedOf(4)]),
    'view=summary': () => summaryOf({ actions: ['regulator-insert'] }),
  });
  const { findByRole, getByRole, getByText } = openImport(7);
  const retry = await findByRole('button', { name: 'Retry 1 product' });
  await act(() => getByText('Package as it was uploaded').click());
  getByRole('button', { name: 'Downloading …' });
  expect(retry.getAttribute('aria-busy')).toBe('false');
});

it.each([true, false])('the person who retried an import is named after a reload: %s', async (retried) => {
  const asked = serve({
    '/actions/regulator-insert': () => ({
      ...{ queued_count: 0, failed_count: 1, pending_count: 0, results: [] },
      ...{ requested_by: 'person:4f1b (ann)', requested_at: '2026-01-31T12:02:00.000Z' },
    }),
    '/outcomes': () => outcomesOf([{ ...submissionOf('regulator_inserted'), job_id: 'run-2' }]),
    'view=summary': () => summaryOf({ retried }),
  });
  const { findByRole, findByText } = openImport(7);
  await findByRole('row', { name: /99962-26-00004/ });
  if (retried) await findByText('Retried by ann');
  expect(asked.some((url) => url.includes('/actions/'))).toBe(retried);
});

it('an import with any id of the contract is loaded', () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  const { getByRole } = openImport(GREATEST_ID);
  getByRole('heading', { name: `Import ${GREATEST_ID}` });
});
