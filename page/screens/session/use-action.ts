/** Something that a button asks of the API: one at a time, and what became of it. */
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/api-error.ts';

export interface Action<A extends unknown[]> {
  run(...args: A): Promise<void>;
  busy: boolean;
  /** Of the last try; null while one is under way. */
  error: ApiError | null;
  /** Forgets what became of it. */
  clear(): void;
}

/** @param work what fails is shown, and not thrown */
export function useAction<A extends unknown[]>(work: (...args: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<{ busy: boolean; error: ApiError | null }>({ busy: false, error: null });
  return {
    ...state,
    clear: () => setState({ busy: false, error: null }),
    async run(...args) {
      setState({ busy: true, error: null });
      try {
        await work(...args);
        setState({ busy: false, error: null });
      } catch (error) {
        setState({ busy: false, error: asApiError(error) });
      }
    },
  };
}
