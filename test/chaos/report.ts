/** Results of a chaos run, as text for the terminal. */
import Table from 'cli-table3';
import type { ChaosResult } from './chaos.ts';

export function holds({ checks }: ChaosResult): boolean {
  return checks.every(({ findings }) => findings.length === 0);
}

export function reportOf(result: ChaosResult): string {
  const { seed, faults, imports, submissions, mails, load, processes, seconds, checks, skipped } = result;
  const total = Object.values(faults).reduce((sum, n) => sum + n, 0);
  const findings = checks.flatMap(({ check, findings: found }) => found.map((one) => `  ${check}: ${one}`));
  return [
    table([...Object.entries(faults), ['faults', total]]),
    table([
      ['seed', seed],
      ['imports, submissions', `${imports}, ${submissions}`],
      ['mails', `${mails.received}, ${mails.repeated} of them again under their Message-ID`],
      ['requests', `${load.requests}: ${tally(load.outcomes)}`],
      ['with tokens that are not valid', tally(load.badTokens)],
      [
        'processes',
        `${processes.endedByThemselves} ended by themselves, ${processes.stoppedLate} stopped late`,
      ],
      ['seconds', Math.round(seconds)],
    ]),
    table(
      checks.map(({ check, findings: found }) => [check, found.length === 0 ? '✓' : `✗ ${found.length}`]),
    ),
    ...skipped.map((reason) => `skipped: ${reason}`),
    findings.length === 0
      ? 'Nothing is lost, nothing is doubled.'
      : `Lost or doubled:\n${findings.join('\n')}`,
  ].join('\n');
}

function tally(counts: Record<string, number>): string {
  return (
    Object.entries(counts)
      .map(([outcome, n]) => `${n} × ${outcome}`)
      .join(', ') || 'none'
  );
}

function table(rows: [string, string | number][]): string {
  const lines = new Table({ style: { head: [], border: [], compact: true } });
  lines.push(...rows);
  return lines.toString();
}
