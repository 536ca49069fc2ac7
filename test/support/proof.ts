/** The commands of the long proofs: numbers as options, and results as tables for the terminal. */
import Table from 'cli-table3';
import { InvalidArgumentError } from 'commander';

/** A check, and what contradicts it, one line each. */
export interface CheckResult {
  check: string;
  findings: string[];
}

/** Parses an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

export function holds(checks: readonly CheckResult[]): boolean {
  return checks.every(({ findings }) => findings.length === 0);
}

/** Each check with its mark, then each finding once. */
export function verdictOf(checks: readonly CheckResult[]): string {
  const marks = checks.map(({ check, findings }): [string, string] => [
    check,
    findings.length === 0 ? '✓' : `✗ ${findings.length}`,
  ]);
  const lines = checks.flatMap(({ check, findings }) =>
    [...new Set(findings)].map((one) => `  ${check}: ${one}`),
  );
  return [table(marks), ...(holds(checks) ? ['All of it holds.'] : ['Does not hold:', ...lines])].join('\n');
}

/** `3 × 200, 1 × 429`. */
export function tally(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([outcome, n]) => `${n} × ${outcome}`);
  return parts.join(', ') || 'none';
}

export function table(rows: readonly [string, string | number][]): string {
  const lines = new Table({ style: { head: [], border: [], compact: true } });
  lines.push(...rows.map((row) => [...row]));
  return lines.toString();
}
