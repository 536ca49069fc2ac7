/** The command: its files, its output, and its errors for wrong options. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FAULT_NAMES } from '../../../tools/package-generator/faults.ts';
import { addFault } from '../../../tools/package-generator/options.ts';
import { STYLE_NAMES } from '../../../tools/package-generator/styles.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const command = fileURLToPath(new URL('../../../tools/make-package.ts', import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [command, ...args]);

describe('make-package', () => {
  it('writes a package and describes the expected result in one line', async () => {
    const directory = await temporaryDirectory();
    const out = join(directory, 'package.zip');
    const options = `--products 12 --attachment-bytes 1e6 --seed 7 --style varied --out ${out}`;
    const { stdout } = await run(
      ...options.split(' '),
      ...'--faults unknown-type=3 --faults malformed --faults tobacco=2'.split(' '),
    );
    const megabytes = ((await stat(out)).size / 1024 / 1024).toFixed(2);
    expect(stdout).toBe(`${out}: 23 files, ${megabytes} MB; expected: 12 created, 4 failed, 2 skipped\n`);
  });

  it('documents every fault and every style in its help', async () => {
    const { stdout } = await run('--help');
    for (const name of [...FAULT_NAMES, ...STYLE_NAMES])
      expect(stdout).toMatch(
        new RegExp(
          `^  ${name} +(created(, with a warning)?|failed|skipped|harmless|the package is refused)  `,
          'm',
        ),
      );
  });

  it.each<[string[], string]>([
    [['--products', 'many'], 'Invalid option --products: Invalid input: expected number, received NaN'],
    [['--seed', ''], 'Invalid option --seed: Invalid input: expected number, received NaN'],
    [['--attachment-bytes', 'much'], 'Invalid option --attachment-bytes: Invalid input: expected number'],
    [['--faults', 'odd'], '"odd" is not a fault; expected a name'],
    [
      ['--attachment-bytes', '1e6', '--attachments', '0'],
      'Invalid option --attachments: 0 attachments must have 0 bytes',
    ],
    [['--out', join('no', 'such', 'place.zip')], 'ENOENT: no such file or directory'],
    [['package.zip'], 'too many arguments'],
  ])('refuses %j', async (args, message) => {
    const refused = run(...args);
    await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });
});

describe('faults', () => {
  it('add up', () => {
    expect(addFault('malformed', addFault('malformed=2', { tobacco: 1 }))).toEqual({
      malformed: 3,
      tobacco: 1,
    });
  });

  it.each(['nonsense', 'malformed=x'])('"%s" is invalid', (text) => {
    expect(() => addFault(text, {})).toThrow(`"${text}" is not a fault; expected a name, or name=3, of `);
  });
});
