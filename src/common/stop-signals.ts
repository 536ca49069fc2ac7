/** Signals that ask a program to stop: a Ctrl-C, or a supervisor's SIGTERM. */

/** One Ctrl-C may arrive twice: from the terminal, and from tools/run.mjs, which passes signals on to a newer Node. */
const SAME_SIGNAL_MS = 1_000;

/** The exit codes of a shell. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type StopSignal = keyof typeof EXIT_CODES;

/** Calls `stop` on the first SIGINT or SIGTERM. A second one ends the process at once. */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    let first: number | undefined;
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now();
        stop(signal);
      } else if (performance.now() - first > SAME_SIGNAL_MS) {
        process.exit(EXIT_CODES[signal]);
      }
    });
  }
}
