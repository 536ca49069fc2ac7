/** The command: its files, its output, and its errors for wrong options. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FAULT_NAMES } from '../../../tools/package-generator/faults.ts';
import { addFault, parseSize } from '../../../tools/package-generator/options.ts';
import { STYLE_NAMES } from '../../../tools/package-generator/styles.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const command = fileURLToPath(new URL('../../../tools/make-package.ts', import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [command, ...args]);

describe('make-package', () => {
  it('writes a package and says what to expect of it, in one line', async () => {
    const out = join(await temporaryDirectory(), 'package.zip');
    const args = [
      '--products',
      '12',
      '--attachments',
      '1MB',
      '--seed',
      '7',
      '--style',
      'varied',
      '--out',
      out,
    ];
    const { stdout } = await run(
      ...args,
      '--fault',
      'unknown-type=3',
      '--fault',
      'malformed',
      '--fault',
      'tobacco=2',
    );
    const megabytes = ((await stat(out)).size / 1024 / 1024).toFixed(2);
    expect(stdout).toBe(`${out}: 23 files, ${megabytes} MB; expected: 12 created, 4 failed, 2 skipped\n`);
  });

  it('says when the package will be refused', async () => {
    const out = join(await temporaryDirectory(), 'package.zip');
    const { stdout } = await run('--products', '1', '--fault', 'no-export', '--out', out);
    expect(stdout).toContain('expected: the package is refused (expected a directory named "export")');
  });

  it('writes the expectations as JSON', async () => {
    const directory = await temporaryDirectory();
    const manifest = join(directory, 'expected.json');
    await run(
      '--products',
      '3',
      '--fault',
      'empty-type',
      '--out',
      join(directory, 'p.zip'),
      '--manifest',
      manifest,
    );
    const { outcomes, files } = JSON.parse(await readFile(manifest, 'utf8'));
    expect(outcomes).toEqual({ created: 3, failed: 1, skipped: 0 });
    expect(files).toContainEqual(
      expect.objectContaining({
        kind: 'product',
        expectation: expect.objectContaining({
          fault: 'empty-type',
          outcome: 'failed',
          reason: 'ProductType is empty; expected 1-9',
        }),
      }),
    );
    const expectations = files.flatMap(
      (file: { expectation?: { values?: object } }) => file.expectation ?? [],
    );
    expect(expectations.filter(({ values }: { values?: object }) => values).length).toBe(3);
    expect(expectations).toContainEqual(
      expect.objectContaining({ values: { sections: expect.anything(), attachmentIds: expect.any(Array) } }),
    );
    expect(files).toContainEqual(
      expect.objectContaining({ kind: 'attachment', contentType: 'application/pdf' }),
    );
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
    [
      ['--products', 'many'],
      `option '--products <n>' argument 'many' is invalid. "many" is not a whole number`,
    ],
    [['--attachments', '20XB'], '"20XB" is no size; expected e.g. 512KB, 20MB or 2GB'],
    [['--fault', 'nonsense'], '"nonsense" is no fault; expected a name, or name=3, of unknown-type,'],
    [['--fault', 'malformed=x'], '"malformed=x" is no fault; expected a name, or name=3, of'],
    [['--style', 'odd'], 'Allowed choices are plain, varied'],
    [['--submitter', '12'], 'Invalid option --submitter: must be five digits'],
    [
      ['--attachments', '1MB', '--attachment-count', '0'],
      'Invalid option --attachment-count: 0 attachments have no bytes',
    ],
    [['--out', join('no', 'such', 'place.zip')], 'ENOENT: no such file or directory'],
    [['package.zip'], 'too many arguments'],
  ])('refuses %j', async (args, message) => {
    const refused = run(...args);
    await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });
});

describe('sizes', () => {
  it.each([
    ['1000', 1000],
    ['512KB', 524_288],
    ['20MB', 20_971_520],
    ['1.5 gb', 1_610_612_736],
    ['0', 0],
  ])('%s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', 'MB', '-1MB', '1TB', '1e3', '99999999999GB'])('"%s" is none', (text) => {
    expect(() => parseSize(text)).toThrow(`"${text}" is no size`);
  });
});

describe('faults', () => {
  it('add up', () => {
    expect(addFault('malformed', addFault('malformed=2', { tobacco: 1 }))).toEqual({
      malformed: 3,
      tobacco: 1,
    });
  });
});
