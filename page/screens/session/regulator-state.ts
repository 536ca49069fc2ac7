/** The regulator session and the pause of inserting. A change in one part of the page refreshes all others. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Inserting, RequestOf, RegulatorSession as Session } from '../../../src/contract/types.ts';
import { type Polled, type PollOptions, usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';

export type { Inserting, Session };

const changes = signal(0);

/** After a login, a wrong code or a pause: all parts load their state again. */
export function tellOfChange(): void {
  changes.value += 1;
}

export const useSession = (options?: PollOptions) => useRegulatorState('getRegulatorSession', options);
export const useInserting = (options?: PollOptions) => useRegulatorState('getInserting', options);

/** Loads nothing without the permission. */
function useRegulatorState<Id extends 'getRegulatorSession' | 'getInserting'>(
  id: Id,
  options: PollOptions = {},
) {
  const isAllowed = can(id) && (options.enabled ?? true);
  const polled = usePolled(id, {} as RequestOf<Id>, { ...options, enabled: isAllowed });
  useRefreshOnChange(polled, isAllowed);
  return polled;
}

export function useRefreshOnChange({ refresh }: Polled<unknown>, isAllowed = true): void {
  const seen = changes.value;
  useEffect(() => {
    // The first load happens anyway.
    if (seen > 0 && isAllowed) refresh();
  }, [seen, isAllowed, refresh]);
}
