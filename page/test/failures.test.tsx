// @vitest-environment happy-dom
/** Failed products on the page: a run covers the groups that its question names, and no others. */
import { cleanup, fireEvent, render, waitFor } from '@testing-library/preact';
import { LocationProvider } from 'preact-iso';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { login } from '../auth/login.ts';
import FailuresScreen from '../screens/failures/index.tsx';

const { getFailures, postFailuresAction, postImportCancellation } = OPERATIONS;
const groupOf = (step: string) => ({
  reason_code: 'regulator_rejected',
  step,
  products: 1,
  imports: 1,
  first_failed_at: '2026-01-01T00:00:00.000Z',
  action: 'Correct the product.',
  example: { package_import_id: 1, product_id: '99962-26-00001', reason: 'Rejected' },
});

let groups: ReturnType<typeof groupOf>[];
let runs: URLSearchParams[];
/** Requests of the groups. */
let counts: number;

beforeEach(() => {
  counts = 0;
  groups = [groupOf('design'), groupOf('emission')];
  runs = [];
  logIn(getFailures, postFailuresAction, postImportCancellation);
  history.replaceState(null, '', '/app/failures');
  vi.stubGlobal('fetch', async ({ url, method }: Request) => answerTo(new URL(url), method));
  // The DOM has no layout here: the table gets the height of ten rows.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(560);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function logIn(...operations: { permission: string }[]) {
  const permissions = new Set(operations.map(({ permission }) => permission));
  login.value = { state: 'in', person: { name: 'operator', permissions } };
}

function answerTo({ pathname, searchParams }: URL, method: string): Response {
  const of = (data: unknown) => Response.json({ status: 'success', message: '', data });
  if (pathname.endsWith('/run')) return of({ run: null });
  if (!/^(\d{5})?$/.test(searchParams.get('submitter_id') ?? ''))
    return Response.json(
      { status: 'error', message: 'submitter_id: must have five digits', data: { code: 'invalid_request' } },
      { status: 400 },
    );
  if (method === 'POST' && !searchParams.has('dry_run')) runs.push(searchParams);
  if (method === 'GET') counts += 1;
  return of({ products: groups.length, imports: groups.length, complete: true, groups, run: null });
}

const screen = () =>
  render(
    <LocationProvider>
      <FailuresScreen />
    </LocationProvider>,
  );

it('a group that leaves the list while the question is open does not widen the run', async () => {
  const { findByRole, getByRole, getAllByRole } = screen();
  fireEvent.click(await findByRole('checkbox', { name: 'Regulator rejected, Design' }));
  fireEvent.click(getByRole('button', { name: 'Cancel imports of selected' }));
  groups = [groupOf('emission')];
  document.dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(getAllByRole('checkbox')).toHaveLength(1));
  const dialog = getByRole('dialog');
  expect(dialog.querySelector('h2')?.textContent).toBe('Cancel imports of selected?');
  const confirm = dialog.querySelector('footer .danger') as HTMLElement;
  await waitFor(() => expect(confirm.hasAttribute('disabled')).toBe(false));
  fireEvent.click(confirm);
  await waitFor(() => expect(runs.map((query) => query.get('group'))).toEqual(['regulator_rejected:design']));
});

it('a selection that has left the list offers no run over all', async () => {
  const { findByRole, findByText, getByRole, queryByRole } = screen();
  fireEvent.click(await findByRole('checkbox', { name: 'Regulator rejected, Design' }));
  groups = [groupOf('emission')];
  document.dispatchEvent(new Event('visibilitychange'));
  await findByText('No selected group has failures any more.');
  const buttons = ['Retry selected', 'Cancel imports of selected'].map((name) =>
    getByRole('button', { name }),
  );
  expect(buttons.map((button) => button.hasAttribute('disabled'))).toEqual([true, true]);
  expect(queryByRole('button', { name: /all that match/ })).toBeNull();
  fireEvent.click(getByRole('button', { name: 'Clear the selection' }));
  await findByRole('button', { name: 'Retry all that match' });
});

it('the failures, whose count is expensive, are requested once when the screen opens', async () => {
  const { findByRole } = screen();
  await findByRole('button', { name: 'Retry all that match' });
  expect(counts).toBe(1);
});

it('a person who may not import is offered no cancellation', async () => {
  logIn(getFailures, postFailuresAction);
  const { findByRole, queryByRole } = screen();
  await findByRole('button', { name: 'Retry all that match' });
  expect(queryByRole('button', { name: 'Cancel imports of all that match' })).toBeNull();
});

it('a run starts only after its preview', async () => {
  const { findByRole, findByText, getByRole } = screen();
  const preview = Promise.withResolvers<void>();
  const answer = fetch;
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.url.includes('dry_run')) await preview.promise;
    return answer(request);
  });
  fireEvent.click(await findByRole('button', { name: 'Retry all that match' }));
  const confirm = getByRole('dialog').querySelector('footer .danger') as HTMLElement;
  expect(confirm.hasAttribute('disabled')).toBe(true);
  preview.resolve();
  await findByText('2 products in 2 imports.');
  await waitFor(() => expect(confirm.hasAttribute('disabled')).toBe(false));
});

it('an incomplete submitter is refused, and offers no run over the failures of all', async () => {
  const { findByRole, getByLabelText, findByText, queryByRole } = screen();
  await findByRole('button', { name: 'Retry all that match' });
  const field = getByLabelText('Submitter') as HTMLInputElement;
  fireEvent.input(field, { target: { value: '9996' } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await findByText('submitter_id: must have five digits');
  expect(queryByRole('button', { name: 'Retry all that match' })).toBeNull();
  expect(field.value).toBe('9996');
});
