// @vitest-environment happy-dom
/** The list without imports shows only what the installation has. */
import { cleanup, fireEvent, render, waitFor } from '@testing-library/preact';
import { LocationProvider } from 'preact-iso';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { login } from '../auth/login.ts';
import { FirstSteps } from '../screens/imports/first-steps.tsx';
import { start } from '../screens/upload/upload-job.ts';

const TRIAL = { token_url: 'http://127.0.0.1:8081/oauth2/token', mailbox_url: 'http://127.0.0.1:8025' };
const TEMPORAL = { ui_url: 'http://127.0.0.1:8233', namespace: 'default' };

let known: object;
vi.mock('../settings.ts', async (original) => ({ ...(await original()), settings: () => known }));
vi.mock('../screens/upload/upload-job.ts', () => ({ start: vi.fn() }));

beforeEach(() => {
  const permissions = new Set(['submissions-tool.package-import.create', 'inserting:read', 'audit:read']);
  login.value = { state: 'in', person: { name: 'operator', permissions } };
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const draw = () =>
  render(
    <LocationProvider>
      <FirstSteps />
    </LocationProvider>,
  );
const links = (shown: ReturnType<typeof draw>) =>
  shown.queryAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);

it('a real installation has neither sample, token nor mailbox', () => {
  known = { trial: null, temporal: null };
  const shown = draw();
  expect(links(shown)).toEqual([['API documentation', '/api/doc']]);
  expect(shown.queryByRole('button')).toBe(null);
  expect(shown.container.textContent).not.toContain('curl');
});

it('a trial imports the sample package with one click, and names its other pages', async () => {
  known = { trial: TRIAL, temporal: TEMPORAL };
  vi.stubGlobal('fetch', async () => new Response('zip'));
  const shown = draw();
  expect(links(shown).map(([title]) => title)).toContain('Mailbox');
  expect(shown.container.querySelector('pre')?.textContent).toContain(
    `token --token-url ${TRIAL.token_url})`,
  );
  fireEvent.click(shown.getByRole('button', { name: 'Import the sample package' }));
  await waitFor(() => expect(start).toHaveBeenCalledOnce());
  expect(vi.mocked(start).mock.calls[0]).toMatchObject([
    'import',
    { file: { name: 'package.zip', size: 3 } },
  ]);
  await waitFor(() => expect(location.pathname).toBe('/app/upload'));
});
