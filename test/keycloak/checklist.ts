/** Checks that all run, whatever becomes of those before them, a line each. */

/** @param expected what has to be found, compared as JSON */
export type Check = (title: string, run: () => Promise<unknown>, expected: unknown) => Promise<void>;

export interface Checklist {
  check: Check;
  say(line: string): void;
  /** Number of failed checks so far. */
  failed(): number;
}

export function createChecklist(say: (line: string) => void): Checklist {
  let failed = 0;
  return {
    say,
    failed: () => failed,
    async check(title, run, expected) {
      const found = await run().catch((error: Error) => `an error: ${error.message}`);
      const passed = JSON.stringify(found) === JSON.stringify(expected);
      if (!passed) failed += 1;
      say(
        passed
          ? `  ok      ${title}`
          : `  FAILED  ${title}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
      );
    },
  };
}
