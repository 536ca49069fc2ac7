// @vitest-environment happy-dom
/** The filter of the audit trail, in its address and in its form. */
import { cleanup, render } from '@testing-library/preact';
import { LocationProvider } from 'preact-iso';
import { afterEach, expect, it, vi } from 'vitest';
import AuditScreen from '../screens/audit/index.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('the form shows the filter that is applied: an invalid ID of the address is in neither', () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', ({ url }: Request) => {
    asked.push(new URL(url).search);
    return new Promise(() => {});
  });
  history.replaceState(null, '', '/app/audit?import_id=abc&submission_id=4&actor=client:demo-client');
  const { getByLabelText } = render(
    <LocationProvider>
      <AuditScreen />
    </LocationProvider>,
  );
  const shown = ['Import', 'Submission', 'Actor', 'Action'].map(
    (label) => (getByLabelText(label) as HTMLInputElement).value,
  );
  expect(shown).toEqual(['', '4', 'client:demo-client', '']);
  expect(asked).toEqual(['?submission_id=4&actor=client%3Ademo-client&limit=100']);
});
