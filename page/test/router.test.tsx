// @vitest-environment happy-dom
/** The screens of the page by their address, and the screen in place of one that fails. */
import { act, cleanup, configure, render } from '@testing-library/preact';
import { LocationProvider } from 'preact-iso';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { login } from '../auth/login.ts';
import { Screens } from '../router.tsx';
import { to } from '../settings.ts';

// A screen is loaded when it is opened, which takes more than the usual second on a busy machine.
configure({ asyncUtilTimeout: 10_000 });

vi.mock('../screens/webhook/index.tsx', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

beforeEach(() => {
  const { getProduct, getWebhook } = OPERATIONS;
  const permissions = new Set([getProduct.permission, getWebhook.permission]);
  login.value = { state: 'in', person: { name: 'operator', permissions } };
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(path: string) {
  history.replaceState(null, '', to(path));
  return render(
    <LocationProvider>
      <Screens />
    </LocationProvider>,
  );
}

it('a screen whose file cannot be loaded says so', async () => {
  const { findByRole, getByRole } = open('webhook');
  await findByRole('heading', { name: /^This screen could not be loaded/ });
  getByRole('button', { name: 'Reload the page' });
});

it('an error while a screen is drawn takes its place until another address is opened', async () => {
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
  const { findByRole } = open('products/100%');
  await findByRole('heading', { name: 'This screen could not be shown.' });
  expect(reported).toHaveBeenCalledExactlyOnceWith(expect.any(URIError));
  await act(() => {
    history.replaceState(null, '', to('products'));
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await findByRole('heading', { name: 'Products', level: 1 });
});
