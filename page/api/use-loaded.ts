/** Data that a screen loads once. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError } from './client.ts';

/** Data of the API, loaded once or polled. */
export interface Loaded<T> {
  /** The last successful answer, kept after failures of polls; undefined before the first. */
  data: T | undefined;
  /** The error of the last try; null when it succeeded. An error beside data means that the data are stale. */
  error: ApiError | null;
  /** The time of the last successful answer, 304 included. */
  checkedAt: Date | null;
  /** Loads at once. */
  refresh(): void;
}

const NOTHING = { data: undefined, error: null, checkedAt: null };

/**
 * Loads at once, and again without data when an input has changed.
 * @param load its signal is aborted when its result is no longer wanted
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [loaded, setLoaded] = useState<Omit<Loaded<T>, 'refresh'>>(NOTHING);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const loading = new AbortController();
    const show = (next: typeof loaded) => loading.signal.aborted || setLoaded(next);
    setLoaded(NOTHING);
    load(loading.signal).then(
      (data) => show({ data, error: null, checkedAt: new Date() }),
      (error) => show({ ...NOTHING, error: asApiError(error) }),
    );
    return () => loading.abort();
  }, [...inputs, tries]);
  return { ...loaded, refresh: () => setTries(tries + 1) };
}
