import { useEffect, useState } from 'preact/hooks';

/** Milliseconds since 1970, drawn anew every second while something counts down. */
export function useNow(enabled = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!enabled) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [enabled]);
  return now;
}
