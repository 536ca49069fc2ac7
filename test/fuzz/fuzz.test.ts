/** The fuzzer itself: runs are the same for the same seed, and what it says is what happened. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary.ts';
import { fuzz } from './fuzz.ts';
import { makeRun } from './run.ts';

const FUZZ = fileURLToPath(new URL('./command.ts', import.meta.url));
const command = (...args: string[]) => promisify(execFile)(process.execPath, [FUZZ, ...args]);

describe('the fuzzer', () => {
  it('makes the same run from the same seed and number', async () => {
    const [first, again, other] = await Promise.all([makeRun(5, 7), makeRun(5, 7), makeRun(5, 8)]);
    expect(again?.zip.equals(first?.zip ?? Buffer.alloc(0))).toBe(true);
    expect(other?.zip.equals(first?.zip ?? Buffer.alloc(0))).toBe(false);
  });

  it('counts its runs', async () => {
    const directory = await temporaryDirectory();
    const result = await fuzz({ seed: 3, first: 0, runs: 25, seconds: 60, directory }, () => {});
    expect(result).toMatchObject({ runs: 25, failure: null });
    expect(Object.values(result.byKind).reduce((sum, n) => sum + n, 0)).toBe(25);
  });

  it('as a command prints its seed, and refuses invalid options', async () => {
    const { stdout } = await command('--seconds', '60', '--seed', '9', '--run', '2');
    expect(stdout).toContain('seed 9\n');
    expect(stdout).toMatch(/\n1 runs in \d+ s/);
    await expect(command('--seconds', 'x')).rejects.toMatchObject({ code: 1 });
  });
});
