/** The regulator session and the pause of inserting, as every part of the page sees them: who changes one tells the others. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Inserting, RegulatorSession as Session } from '../../../src/contract/types.ts';
import { type Polled, type PollOptions, usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';

export type { Inserting, Session };

const changes = signal(0);

/** After a login, a wrong code, a pause: whoever shows something of it asks at once. */
export function tellOfChange(): void {
  changes.value += 1;
}

/** For what is not polled, but depends on it. */
export const changesSoFar = (): number => changes.value;

/** Asks nothing for who may not read it. */
export function useSession(options: PollOptions = {}): Polled<Session> {
  const isAllowed = can('getRegulatorSession') && (options.enabled ?? true);
  const polled = usePolled('getRegulatorSession', {}, { ...options, enabled: isAllowed });
  useRefreshOnChange(polled, isAllowed);
  return polled;
}

/** Asks nothing for who may not read it. */
export function useInserting(options: PollOptions = {}): Polled<Inserting> {
  const isAllowed = can('getInserting') && (options.enabled ?? true);
  const polled = usePolled('getInserting', {}, { ...options, enabled: isAllowed });
  useRefreshOnChange(polled, isAllowed);
  return polled;
}

function useRefreshOnChange({ refresh }: Polled<unknown>, isAllowed: boolean): void {
  const seen = changes.value;
  useEffect(() => {
    // At first it is asked for anyway.
    if (seen > 0 && isAllowed) refresh();
  }, [seen, isAllowed, refresh]);
}
