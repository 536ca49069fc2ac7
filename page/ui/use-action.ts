/** A call of the API that a button starts: one at a time, with its error. */
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';

export interface Action<Arguments extends unknown[]> {
  run(...args: Arguments): Promise<void>;
  busy: boolean;
  /** The error of the last call; null while a call is running. */
  error: ApiError | null;
  /** Removes the error. */
  clear(): void;
}

/** @param work its error is kept for the screen, not thrown */
export function useAction<Arguments extends unknown[]>(
  work: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  async function run(...args: Arguments): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await work(...args);
    } catch (failure) {
      setError(asApiError(failure));
    } finally {
      setBusy(false);
    }
  }
  return { run, busy, error, clear: () => setError(null) };
}
