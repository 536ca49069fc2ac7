// @vitest-environment happy-dom
/** The editor of a product file that failed: what it sends, and what it does while a person is busy elsewhere. */
import { act, cleanup, fireEvent, render, waitFor } from '@testing-library/preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PackageRequest } from '../api/send-package.ts';
import { login } from '../auth/login.ts';
import MendScreen from '../screens/mend/index.tsx';

type Answer = { kind: 'imported'; importId: number };
interface Sent {
  key: string;
  answer: PromiseWithResolvers<Answer>;
}

const CHECKED = {
  kind: 'checked',
  result: { products: [{ outcome: 'new', reasons: [{ text: 'Wrong', line: 1 }], warnings: [] }] },
};
let sent: Sent[];
let checked: PromiseWithResolvers<typeof CHECKED>;

vi.mock('../api/send-package.ts', () => ({
  sendPackage: ({ idempotencyKey: key }: PackageRequest) => {
    if (key === null) return checked.promise;
    const answer = Promise.withResolvers<Answer>();
    sent.push({ key, answer });
    return answer.promise;
  },
}));

/** Every text differs from the first one. */
class Differing {
  onmessage?: (event: object) => void;
  postMessage() {
    const hunks = [{ oldStart: 1, newStart: 1, lines: ['-a', '+b'] }];
    this.onmessage?.({ data: { hunks, added: 1, removed: 1, leftOut: 0 } });
  }
  terminate() {}
}

beforeEach(() => {
  sent = [];
  checked = Promise.withResolvers();
  login.value = { state: 'in', person: { name: 'operator', permissions: new Set() } };
  vi.stubGlobal('fetch', async () => new Response('<a/>'));
  vi.stubGlobal('Worker', Differing);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function draw(file: string) {
  history.replaceState(null, '', `/app/imports/7/mend/${file}`);
  const Elsewhere = () => <p>elsewhere</p>;
  return render(
    <LocationProvider>
      <input aria-label="Search" />
      <a href="/app/upload">Leave</a>
      <Router>
        {[
          <Route key="mend" path="/app/imports/:id/mend/:file" component={MendScreen} />,
          <Route key="any" default component={Elsewhere} />,
        ]}
      </Router>
    </LocationProvider>,
  );
}

async function open(file: string) {
  const screen = draw(file);
  const text = (await screen.findByLabelText('Product file')) as HTMLTextAreaElement;
  const importIt = async () => {
    const button = await screen.findByRole('button', { name: 'Import the corrected file' });
    await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false));
    const before = sent.length;
    fireEvent.click(button);
    await waitFor(() => expect(sent).toHaveLength(before + 1));
    return sent[before] as Sent;
  };
  const leave = async () => {
    fireEvent.click(screen.getByText('Leave'));
    await screen.findByText('elsewhere');
  };
  return { ...screen, text, importIt, leave };
}

it('a text whose answer was lost is sent again under its key, after another screen too', async () => {
  checked.resolve(CHECKED);
  const first = await open('lost.xml');
  fireEvent.input(first.text, { target: { value: '<b/>' } });
  const lost = await first.importIt();
  await act(() => lost.answer.reject(new Error('no answer')));
  await first.leave();
  cleanup();
  const second = await open('lost.xml');
  expect(second.text.value).toBe('<b/>');
  const again = await second.importIt();
  expect(again.key).toBe(lost.key);
  await act(() => again.answer.resolve({ kind: 'imported', importId: 8 }));
  await waitFor(() => expect(location.pathname).toBe('/app/imports/8'));
  cleanup();
  const third = await open('lost.xml');
  expect(third.text.value).toBe('<a/>');
});

it('a file whose correction has been queued is no unknown file', async () => {
  const refusal = { message: 'A newer submission has been queued.', data: { code: 'nothing_to_repair' } };
  vi.stubGlobal('fetch', async () => Response.json(refusal, { status: 404 }));
  const screen = draw('corrected.xml');
  await screen.findByRole('heading', { name: 'This file cannot be corrected.' });
  screen.getByText('A newer submission has been queued.');
});

it('an answer that arrives on another screen leaves the person there', async () => {
  checked.resolve(CHECKED);
  const { text, importIt, leave } = await open('late.xml');
  fireEvent.input(text, { target: { value: '<b/>' } });
  const { answer } = await importIt();
  await leave();
  await act(() => answer.resolve({ kind: 'imported', importId: 8 }));
  expect(location.pathname).toBe('/app/upload');
  cleanup();
  expect((await open('late.xml')).text.value).toBe('<a/>');
});

it('the first finding takes the focus only if nothing else has it', async () => {
  const searching = await open('a.xml');
  searching.getByLabelText('Search').focus();
  await act(() => checked.resolve(CHECKED));
  await searching.findByText('Wrong');
  // The next drawing follows the effects of this one.
  fireEvent.input(searching.text);
  await searching.findByText('Checking …');
  expect(document.activeElement).toBe(searching.getByLabelText('Search'));
  cleanup();
  const reading = await open('b.xml');
  await waitFor(() => expect(document.activeElement).toBe(reading.text));
});
