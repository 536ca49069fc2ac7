// @vitest-environment happy-dom
/** The list of imports, and one import, as people see them: notes, times, products. */
import { signal } from '@preact/signals';
import { act, cleanup, render, within } from '@testing-library/preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GREATEST_ID } from '../../src/contract/limits.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { ImportReport, ImportSummary, Submission } from '../../src/contract/types.ts';
import { login } from '../auth/login.ts';
import { CancelConsequences } from '../screens/import/actions.tsx';
import { Header, momentsOf } from '../screens/import/header.tsx';
import ImportScreen from '../screens/import/index.tsx';
import { Products } from '../screens/import/products.tsx';
import ImportsScreen from '../screens/imports/index.tsx';
import { RetryError } from '../ui/actions.tsx';

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
    render(<Header summary={summary} report={undefined} />).getByText(text);
  },
);

it.each([
  [1, 0, 'of 1 product'],
  [1, 1, 'of 2 products'],
])('the header of an import counts %d inserted and %d running products', (inserted, inserting, text) => {
  render(<Header summary={runningOf(inserted, inserting)} report={undefined} />).getByText(text);
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
  const { getByText } = render(<Header summary={summaryOf({ completed_at: null })} report={undefined} />);
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

it('the last submission is made when its product is read, which may be long before it is queued', () => {
  const submissions = ['2026-01-31T12:00:10.000Z', '2026-01-31T12:00:20.000Z'].map((created_at) => ({
    created_at,
  }));
  const moments = momentsOf(summaryOf(), { submissions } as ImportReport, undefined);
  expect(moments.map(({ title }) => title)).toEqual([
    'Uploaded',
    'First product read',
    'Last product read',
    'Completed',
  ]);
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

const reportOf = (submissions: Submission[], completed_at: string | null = null) =>
  ({
    submissions,
    completed_at,
    notification: null,
    queue: { results: [] },
    zip_import: { failed: [], skipped: [] },
  }) as unknown as ImportReport;

function productsOf(first: ImportReport) {
  const report = signal(first);
  const Shown = () => (
    <>
      <RetryError />
      <Products report={report.value} />
    </>
  );
  const shown = render(
    <LocationProvider>
      <Router>{[<Route key="import" path="/app/imports/:id" component={Shown} />]}</Router>
    </LocationProvider>,
  );
  const become = (next: ImportReport) =>
    act(() => {
      report.value = next;
    });
  return { ...shown, become };
}

it('a product stays open when its row leaves the filter', async () => {
  history.replaceState(null, '', '/app/imports/7?show=failed&product=4');
  const { getByRole, queryByRole, become } = productsOf(reportOf([submissionOf('regulator_insert_failed')]));
  getByRole('dialog', { name: '99962-26-00004' });
  await become(reportOf([submissionOf('regulator_inserting')]));
  expect(queryByRole('row', { name: /99962-26-00004/ })).toBeNull();
  getByRole('dialog', { name: '99962-26-00004' });
});

/** An import with one failed product, whose retry is answered later. */
function openWithRetry(address: string) {
  const { permission } = OPERATIONS.postSubmissionAction;
  login.value = { state: 'in', person: { name: 'operator', permissions: new Set([permission]) } };
  const answer = Promise.withResolvers<Response>();
  const failed = { ...submissionOf('regulator_insert_failed'), actions: ['regulator-insert'] } as Submission;
  const asked: string[] = [];
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    asked.push(url);
    if (url.includes('/submissions/')) return answer.promise;
    if (url.includes('/deliveries')) return Response.json({ data: { deliveries: [], next_before: null } });
    return Response.json({ data: url.includes('view=summary') ? summaryOf() : reportOf([failed]) });
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
  const { findByRole, queryByRole, refuse } = openWithRetry('7');
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
  const { findByRole, getAllByRole, refuse } = openWithRetry('7?product=4');
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
  const { permission } = OPERATIONS.postSubmissionAction;
  login.value = { state: 'in', person: { name: 'operator', permissions: new Set([permission]) } };
  const answer = Promise.withResolvers<Response>();
  vi.stubGlobal('fetch', () => answer.promise);
  history.replaceState(null, '', '/app/imports/7?product=4');
  const failed = { ...submissionOf('regulator_insert_failed'), actions: ['regulator-insert'] } as Submission;
  const { getByRole, findByText } = productsOf(
    reportOf([failed, { ...failed, id: 5, product_id: '99962-26-00005' }]),
  );
  const dialog = within(getByRole('dialog'));
  const press = (name: string) => act(() => dialog.getByRole('button', { name }).click());
  await press('Retry 99962-26-00004');
  await press('Next →');
  answer.resolve(Response.json({ message: 'It cannot be run.' }, { status: 409 }));
  await findByText('It cannot be run.');
  dialog.getByRole('heading', { name: '99962-26-00005' });
  expect(dialog.queryByText('It cannot be run.')).toBeNull();
  await press('← Previous');
  await dialog.findByText('It cannot be run.');
});

it('an import without products says so when it is over', async () => {
  history.replaceState(null, '', '/app/imports/7');
  const { getByRole, become } = productsOf(reportOf([]));
  getByRole('heading', { name: 'No product has been read yet' });
  await become(reportOf([], '2026-01-31T12:01:00.000Z'));
  getByRole('heading', { name: 'The package has no products' });
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
  const { getOriginalPackage, postImportRetry } = OPERATIONS;
  const permissions = new Set([getOriginalPackage.permission, postImportRetry.permission]);
  login.value = { state: 'in', person: { name: 'operator', permissions } };
  const failed = { ...submissionOf('regulator_insert_failed'), actions: ['regulator-insert'] } as Submission;
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    if (url.endsWith('/package')) return new Promise(() => {});
    if (url.includes('/deliveries')) return Response.json({ data: { deliveries: [], next_before: null } });
    const summary = summaryOf({ actions: ['regulator-insert'] });
    return Response.json({ data: url.includes('view=summary') ? summary : reportOf([failed]) });
  });
  const { findByRole, getByRole, getByText } = openImport(7);
  const retry = await findByRole('button', { name: 'Retry 1 product' });
  await act(() => getByText('Package as it was uploaded').click());
  getByRole('button', { name: 'Downloading …' });
  expect(retry.getAttribute('aria-busy')).toBe('false');
});

it.each([true, false])('the person who retried an import is named after a reload: %s', async (retried) => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    asked.push(url);
    if (url.includes('/actions/regulator-insert'))
      return Response.json({
        data: {
          ...{ queued_count: 0, failed_count: 1, pending_count: 0, results: [] },
          ...{ requested_by: 'person:4f1b (ann)', requested_at: '2026-01-31T12:02:00.000Z' },
        },
      });
    const inserted = { ...submissionOf('regulator_inserted'), job_id: 'run-2' };
    return Response.json({
      data: url.includes('view=summary') ? summaryOf({ retried }) : reportOf([inserted]),
    });
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
