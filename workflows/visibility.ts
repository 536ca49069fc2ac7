/** What a timer is for, in the timeline of the Web UI. */
export const TIMERS = {
  queuing: { summary: 'Until the next look at how far the queuing is' },
  inserting: { summary: 'Until the next look at how far the inserts are' },
} as const;
