// @vitest-environment happy-dom
/** One is not several. */
import { cleanup, render } from '@testing-library/preact';
import { afterEach, expect, it, vi } from 'vitest';
import { CancelDialog } from '../screens/import/cancel-dialog.tsx';
import { Header } from '../screens/import/header.tsx';
import type { Summary } from '../screens/import/use-import.ts';

// The gateway tells where the Temporal Web UI is; here there is none.
vi.mock('../screens/import/runs.ts', () => ({ runsUrl: () => null }));
afterEach(cleanup);

const summaryOf = (inserted: number, inserting: number) =>
  ({
    ...{ id: 7, client_id: 'company', file_name: 'package.zip', comment: null, status: 'inserting' },
    zip_file: { uploaded_at: '2026-01-31T12:00:00.000Z', size_mb: '0.03' },
    ...{ warned: 0, failure_reason: null, completed_at: null, actions: ['cancel'], cancellation: null },
    progress: {
      ...{ local: 0, regulator_insert_failed: 0 },
      ...{ regulator_inserted: inserted, regulator_inserting: inserting },
    },
  }) as Summary;

it.each([
  [1, 0, 'of 1 product'],
  [1, 1, 'of 2 products'],
])('an import of %d inserted and %d under way', (inserted, inserting, text) => {
  render(<Header summary={summaryOf(inserted, inserting)} report={undefined} />).getByText(text);
});

it.each([
  [
    1,
    1,
    '1 product is inserted, and stays so.1 is under way: it ends after its call to the regulator, as failed.',
  ],
  [
    0,
    2,
    '0 products are inserted, and stay so.2 are under way: each ends after its call to the regulator, as failed.',
  ],
])('what cancelling means with %d inserted and %d under way', (inserted, inserting, text) => {
  const nothing = () => undefined;
  const { container } = render(
    <CancelDialog summary={summaryOf(inserted, inserting)} onClose={nothing} onConfirm={nothing} />,
  );
  expect(container.textContent).toContain(text);
});
