/** Named checks whose outcomes are printed as they are made. */
export interface Checks {
  /** @param faults the faults found; the check passes if there are none */
  none(name: string, faults: readonly string[]): void;
  that(name: string, holds: boolean, found?: unknown): void;
  /** @param expected what has to be found, compared as JSON; an error is found, too, and ends no other check */
  equals(name: string, look: () => Promise<unknown>, expected: unknown): Promise<void>;
  failed(): number;
  passed(): number;
}

const SHOWN = 5;

export function createChecks(say: (line: string) => void): Checks {
  const outcomes: boolean[] = [];
  const that = (name: string, holds: boolean, found?: unknown) => {
    outcomes.push(holds);
    const detail =
      holds || found === undefined ? '' : `: ${typeof found === 'string' ? found : JSON.stringify(found)}`;
    say(`${holds ? '  holds ' : '  FAILS '} ${name}${detail}`);
  };
  return {
    that,
    none: (name, faults) =>
      that(name, faults.length === 0, `${faults.length}, such as ${faults.slice(0, SHOWN).join(', ')}`),
    async equals(name, look, expected) {
      const found = await look().catch((error: Error) => `an error: ${error.message}`);
      that(name, JSON.stringify(found) === JSON.stringify(expected), found);
    },
    failed: () => outcomes.filter((holds) => !holds).length,
    passed: () => outcomes.filter((holds) => holds).length,
  };
}
