/** Data that a screen loads once. */
import { useEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** Undefined before it is loaded. */
  data?: T;
  error?: unknown;
}

const NOTHING = {};

/**
 * Loads at once, and again without data when an input has changed.
 * @param load its signal is aborted when its result is no longer wanted
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(NOTHING);
  useEffect(() => {
    const loading = new AbortController();
    const show = (next: Loaded<T>) => loading.signal.aborted || setLoaded(next);
    setLoaded(NOTHING);
    load(loading.signal).then(
      (data) => show({ data }),
      (error: unknown) => show({ error }),
    );
    return () => loading.abort();
  }, inputs);
  return loaded;
}
