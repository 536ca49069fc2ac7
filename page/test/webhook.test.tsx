// @vitest-environment happy-dom
/** The webhook on the page: its secret, which the service shows once. */
import { cleanup, fireEvent, render, waitFor } from '@testing-library/preact';
import { afterEach, expect, it, vi } from 'vitest';
import { login } from '../auth/login.ts';
import { WebhookCard } from '../screens/webhook/index.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('a secret stays in sight while the URL is corrected', async () => {
  login.value = { state: 'in', person: { name: 'uploader', permissions: new Set() } };
  let url: string | null = null;
  vi.stubGlobal('fetch', async (request: Request) => {
    const secret = request.method === 'PUT' && url === null ? { secret: 'whsec_once' } : {};
    if (request.method === 'PUT') ({ url } = (await request.json()) as { url: string });
    const updated_at = url === null ? null : '2026-01-31T12:00:00.000Z';
    return Response.json({ data: { url, updated_at, previous_secret_valid_until: null, ...secret } });
  });
  const { findByLabelText, findByRole, findByText, getByText } = render(<WebhookCard />);
  const save = async (text: string, button: string) => {
    fireEvent.input(await findByLabelText('URL'), { target: { value: text } });
    fireEvent.click(await findByRole('button', { name: button }));
    await waitFor(() => expect(url).toBe(text));
  };
  await save('https://hok.example/', 'Register');
  await findByText('whsec_once');
  await findByRole('button', { name: 'Change the URL' });
  await save('https://hook.example/', 'Change the URL');
  await findByText('https://hook.example/');
  getByText('whsec_once');
});
