/** Results of an overload run, as text for the terminal. */
import Table from 'cli-table3';
import { faultsOf, type Seen } from './verdict.ts';

export function holds(seen: Seen): boolean {
  return faultsOf(seen).every(({ faults }) => faults.length === 0);
}

export function reportOf(seen: Seen): string {
  const { honest, flooders, processes, waiting } = seen;
  const faults = faultsOf(seen);
  const list = faults.flatMap(({ what, faults: found }) => summed(found).map((one) => `  ${what}: ${one}`));
  return [
    table([
      ['inserts that waited', `${waiting.seen}`],
      ...(['import', 'list'] as const).map((what): [string, string] => {
        const times = honest.filter((one) => one.what === what).map(({ seconds }) => seconds);
        const longest = Math.max(0, ...times).toFixed(1);
        return [`honest client: ${what}`, `${times.length} requests, the longest ${longest} s`];
      }),
      ...[...Map.groupBy(flooders, ({ what }) => what.replace(/ \d+$/, '')).entries()].map(
        ([what, answers]): [string, string] => [
          `flooders: ${what}`,
          tally(answers.map(({ status }) => `${status ?? 'no answer'}`)),
        ],
      ),
      ...processes.map(({ name, idleMb, peakMb }): [string, string] => [
        name,
        `${Math.round(idleMb)} MB idle, ${Math.round(peakMb)} MB at most`,
      ]),
    ]),
    table(faults.map(({ what, faults: found }) => [what, found.length === 0 ? '✓' : `✗ ${found.length}`])),
    list.length === 0 ? 'All of it holds.' : `Does not hold:\n${list.join('\n')}`,
  ].join('\n');
}

/** The same lines once. */
function summed(lines: readonly string[]): string[] {
  return [...new Set(lines)];
}

function tally(outcomes: readonly string[]): string {
  return [...Map.groupBy(outcomes, (one) => one).entries()]
    .map(([outcome, all]) => `${all.length} × ${outcome}`)
    .join(', ');
}

function table(rows: [string, string][]): string {
  const lines = new Table({ style: { head: [], border: [], compact: true } });
  lines.push(...rows);
  return lines.toString();
}
