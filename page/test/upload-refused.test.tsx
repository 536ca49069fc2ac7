// @vitest-environment happy-dom
/** The text of a refused upload, and the actions that it offers. */
import { cleanup, fireEvent, render } from '@testing-library/preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ErrorCode } from '../../src/contract/error-codes.ts';
import { ApiError } from '../api/client.ts';
import { login } from '../auth/login.ts';
import type { Job } from '../screens/upload/upload-job.ts';
import { UploadRefused } from '../screens/upload/upload-refused.tsx';

const JOB: Job = {
  purpose: 'import',
  chosen: null,
  phase: { state: 'idle' },
  result: null,
  mayHaveArrived: false,
};
const onAgain = vi.fn();
beforeEach(() => onAgain.mockReset());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function show(status: number, code: ErrorCode | null, rest: Partial<ApiError> = {}, job: Partial<Job> = {}) {
  const error = new ApiError('In its own words.', { status, code, ...rest });
  return render(<UploadRefused job={{ ...JOB, ...job }} error={error} at={Date.now()} onAgain={onAgain} />);
}

it('a quota or a busy service shows the seconds to wait, and a click tries again', async () => {
  vi.useFakeTimers();
  const { getByText, getByRole, findByText } = show(429, 'too_many_requests', { retryAfterSeconds: 42 });
  getByText('Too many requests.');
  getByText('In its own words.');
  getByText('The service asks you to wait for 42 s.');
  await vi.advanceTimersByTimeAsync(40_000);
  getByText('The service asks you to wait for 2 s.');
  await vi.advanceTimersByTimeAsync(3_000);
  await findByText('The wait is over. Try again.');
  expect(onAgain).not.toHaveBeenCalled();
  fireEvent.click(getByRole('button', { name: 'Try again' }));
  expect(onAgain).toHaveBeenCalledOnce();
});

it.each([
  [413, 'file_too_large', 'The package is too large.'],
  [500, 'invalid_package', 'The package cannot be read.'],
  [422, 'idempotency_key_reused', 'The import failed.'],
] as const)('a final refusal offers no other attempt: %s %s', (status, code, heading) => {
  const { getByRole, queryByRole } = show(status, code, { requestId: 'r-1' });
  getByRole('heading', { name: heading });
  expect(queryByRole('button', { name: 'Try again' })).toBeNull();
});

it('a refusal that names an import links to it', () => {
  const { getByRole, queryByRole } = show(500, 'outcome_unknown', { importId: 12 });
  expect(getByRole('link', { name: 'Show import 12' }).getAttribute('href')).toBe('/app/imports/12');
  expect(queryByRole('button')).toBeNull();
});

it('an error links to the page about its code', () => {
  const facts = { requestId: 'r', docUrl: '/api/doc/errors#not_a_zip' };
  const { getByRole } = show(400, 'not_a_zip', facts);
  expect(getByRole('link', { name: 'About not_a_zip' }).getAttribute('href')).toBe(facts.docUrl);
});

it('an upload that may have arrived can be tried again safely', () => {
  const { getByText, getByRole } = show(0, null, {}, { mayHaveArrived: true });
  getByText(/the import may exist/);
  getByRole('button', { name: 'Try again' });
});

it('a person who cannot log in with the regulator is told who can, without a dialog', () => {
  login.value = { state: 'in', person: { name: 'uploader', permissions: new Set() } };
  const { getByText, queryByRole, getByRole } = show(412, 'session_required');
  getByText(/An operator has to log in/);
  expect(queryByRole('dialog', { hidden: true })).toBeNull();
  fireEvent.click(getByRole('button', { name: 'Try again' }));
  expect(onAgain).toHaveBeenCalledOnce();
});
