/** The few pictures of the page; each stands beside a word, and says nothing to a screen reader. */
const PATHS = {
  good: 'M3 8.5l3.5 3.5L13 5',
  bad: 'M4 4l8 8M12 4l-8 8',
  warn: 'M8 2.5L14.5 13.5H1.5zM8 6.5v3.5M8 11.8v.2',
  busy: 'M8 2a6 6 0 1 1-6 6',
  idle: 'M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12zM8 5v3l2 1.5',
  package: 'M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.75" aria-hidden="true">
      <path d={PATHS[name]} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
