/** Texts for people, without any service. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, ForeignAnswer, Unreachable } from '../../cli/client/errors.ts';
import { UnusableCredentials } from '../../cli/client/options.ts';
import { packageFile } from '../../cli/commands/upload.ts';
import { failureOf } from '../../cli/failure.ts';
import { dryRunText, exitCodeOf, importText, isGood, wouldSucceed } from '../../cli/import-text.ts';
import { Hinted, Interrupted, UsageError } from '../../cli/outcome.ts';
import { shellWord, tableOf } from '../../cli/screen.ts';
import { importListText } from '../../cli/summary-text.ts';
import { MANIFEST } from '../../src/contract/dossier.ts';
import type { ErrorCode } from '../../src/contract/error-codes.ts';
import { NOTES_REMOVED, plainReason } from '../../src/contract/reasons.ts';
import type { DryRunResult, ImportReport, ImportSummary } from '../../src/contract/types.ts';
import { run } from '../support/command.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { zipOf } from '../support/zip.ts';

describe('tables', () => {
  it('fit the width of the terminal without losing text', () =>
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,15}$|^[a-z]{60,90}$/), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 60, max: 200 }),
        (words, width) => {
          const table = tableOf(['Id', 'Details'], [['1', words.join(' ')]], width);
          for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
          const said = table
            .split('\n')
            .slice(3, -1)
            .map((line) => (line.split('│')[2] ?? '').replaceAll(' ', ''));
          expect(said.join('')).toBe(words.join(''));
        },
      ),
    ));

  it('have room for wide characters in every column', () => {
    const table = tableOf(['File', 'Details'], [['香水.xml', 'a reason '.repeat(20)]], 60);
    expect(table).toContain('│ 香水.xml │');
  });

  it('of all files of a package are there at once', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => [index, `${index}.xml`]);
    const lines = tableOf(['Id', 'File'], rows).split('\n');
    expect(lines).toHaveLength(10_004);
    expect(lines.slice(102, 105)).toEqual([
      '│ 99   │ 99.xml   │',
      '│ 100  │ 100.xml  │',
      '│ 101  │ 101.xml  │',
    ]);
  });

  it('escape control characters', () => {
    const table = tableOf(['File'], [['evil\u001b[2Jname\n.xml']]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there
    expect(table).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    expect(table).toContain('evil\\u{1b}[2Jname .xml');
  });
});

describe('a word of a command to paste', () => {
  it.each(['one.xml', 'a b.xml', '$(id).xml', "it's `id`; id", '*', '', '\\u{1b}'])(
    'is one word: %s',
    (word) => expect(execFileSync('sh', ['-c', `printf %s. ${shellWord(word)}`]).toString()).toBe(`${word}.`),
  );

  it('is not quoted without need', () => expect(shellWord('/tmp/one-a.xml')).toBe('/tmp/one-a.xml'));
});

describe('an import', () => {
  const submission = (status: string, facts: object = {}) => ({
    id: 1,
    product_id: '1-2-3',
    status,
    case_id: null,
    failure_reason: null,
    warnings: [],
    state: {},
    ...facts,
  });
  const report = (facts: object = {}) =>
    ({
      id: 7,
      status: 'completed',
      failure_reason: null,
      notification: null,
      submissions: [],
      zip_import: { extracted_xml_files: 1, failed: [], skipped: [], skipped_count: 0, warnings: [] },
      queue: { results: [] },
      ...facts,
    }) as unknown as ImportReport;

  const empty = { extracted_xml_files: 0, failed: [], skipped: [], skipped_count: 0, warnings: [] };

  it.each<[string, boolean, object]>([
    ['inserted', true, { submissions: [submission('regulator_inserted')] }],
    ['under way', true, { submissions: [submission('regulator_inserting')] }],
    ['skipped', true, { zip_import: { failed: [], skipped: [{}], skipped_count: 1, warnings: [] } }],
    ['rejected', false, { submissions: [submission('regulator_insert_failed')] }],
    ['not queued', false, { submissions: [submission('local')] }],
    ['unreadable in one file', false, { zip_import: { failed: [{}], skipped: [], skipped_count: 0 } }],
    ['unreadable', false, { status: 'failed' }],
    ['cancelled', false, { status: 'cancelled' }],
    ['without products', false, { zip_import: empty }],
    ['without a list of files', true, { zip_import: { ...empty, warnings: [plainReason(NOTES_REMOVED)] } }],
    ['not read yet', true, { status: 'extracting', zip_import: empty }],
  ])('that is %s counts as success: %s', (_name, good, facts) => expect(isGood(report(facts))).toBe(good));

  it('has one exit code for the package, one for its products, and one for a failure of the service', () => {
    expect(exitCodeOf(report())).toBe(0);
    expect(exitCodeOf(report({ status: 'failed', failure_code: 'invalid_package' }))).toBe(3);
    for (const failure_code of ['import_failed', 'storage_full'])
      expect(exitCodeOf(report({ status: 'failed', failure_code }))).toBe(1);
    expect(exitCodeOf(report({ status: 'cancelled' }))).toBe(4);
    expect(exitCodeOf(report({ submissions: [submission('local')] }))).toBe(4);
  });

  it('without products ends with that sentence, after the warnings', () => {
    const zip_import = { ...empty, warnings: [plainReason('a.xml is in another folder')] };
    expect(importText(report({ zip_import }))).toBe(
      'Warning: a.xml is in another folder\nImport 7 completed: no products.\n' +
        'The package has no products. Product files belong in export/ecigarette-product-submissions.',
    );
    expect(importText(report({ status: 'failed', failure_reason: 'No.', zip_import: empty }))).toBe(
      'Import 7 failed: no products.\nNo.',
    );
  });

  it('shows the result of every product and file', () => {
    const result = report({
      submissions: [
        submission('regulator_inserted', { case_id: 'CASE-1', warnings: [plainReason('w')] }),
        submission('regulator_inserting', { id: 2, state: { init_validate: true } }),
        submission('local', { id: 3 }),
      ],
      queue: { results: [{ submission_id: 3, status: 409, message: 'In the way.' }] },
      zip_import: {
        skipped_count: 1,
        warnings: [],
        failed: [{ xml_file: 'a.xml', error: 'broken' }],
        skipped: [{ xml_file: 'b.xml', reason: 'known' }],
      },
    });
    const rows = importText(result)
      .split('\n')
      .slice(3, -2)
      .map((line) => line.split('│').map((cell) => cell.trim()));
    expect(rows.map((cells) => cells.slice(1, -1))).toEqual([
      ['1', '1-2-3', 'inserted', 'case CASE-1, 1 warning'],
      ['2', '1-2-3', 'inserting', '1 of 6 steps'],
      ['3', '1-2-3', 'not queued (409)', 'In the way.'],
      ['', 'a.xml', 'failed', 'broken'],
      ['', 'b.xml', 'skipped', 'known'],
    ]);
    expect(importText(result)).toContain(
      'Import 7 completed: 1 inserted, 1 inserting, 1 not queued, 1 file failed, 1 file skipped.',
    );
  });
});

describe('a list of imports', () => {
  const summary = (facts: object = {}) =>
    ({
      id: 7,
      status: 'completed',
      file_name: 'package.zip',
      comment: null,
      failure_reason: null,
      completed_at: '2026-01-31T12:30:00.000Z',
      zip_file: { uploaded_at: '2026-01-31T12:00:00.000Z', size_mb: '0.01' },
      progress: { local: 0, regulator_inserting: 0, regulator_inserted: 0, regulator_insert_failed: 0 },
      ...facts,
    }) as unknown as ImportSummary;
  const progress = (inserted: number, failed: number, local: number) => ({
    progress: {
      local,
      regulator_inserting: 0,
      regulator_inserted: inserted,
      regulator_insert_failed: failed,
    },
  });
  const rowsOf = (imports: ImportSummary[], failing: number[]) =>
    importListText(imports, new Set(failing))
      .split('\n')
      .slice(3, -1)
      .map((line) =>
        line
          .split('│')
          .slice(3, -1)
          .map((cell) => cell.trim()),
      );

  it('shows package, products, and a mark for every kind of failure', () => {
    const imports = [
      summary({ id: 9, ...progress(2, 0, 0), comment: 'spring range' }),
      summary({ id: 8, ...progress(2, 1, 1) }),
      summary({ id: 7, ...progress(0, 0, 0) }),
      summary({ id: 6, status: 'failed', failure_reason: 'The ZIP is damaged.', comment: 'winter' }),
      summary({ id: 5, status: 'inserting', completed_at: null, ...progress(1, 0, 2) }),
    ];
    expect(rowsOf(imports, [8, 7, 6, 5])).toEqual([
      ['completed', '2 of 2', '', 'package.zip – spring range'],
      ['completed', '2 of 4', '2 products', 'package.zip'],
      ['completed', '', 'files', 'package.zip'],
      ['failed', '', 'package', 'package.zip – winter'],
      ['inserting', '1 of 3', '', 'package.zip'],
    ]);
  });

  it('has lines of limited length, however long names and comments are', () => {
    const long = summary({ file_name: `${'a'.repeat(200)}.zip`, comment: 'b'.repeat(5_000) });
    const text = importListText([summary({ ...progress(1_000, 20, 0) }), long], new Set());
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(130);
  });
});

describe('a dry run', () => {
  type Product = DryRunResult['products'][number];
  const product = (facts: Partial<Product>): Product => ({
    xml_file: 'a.xml',
    product_id: '1-2-3',
    product_type: 'Device',
    outcome: 'new',
    changed_sections: [],
    reasons: [],
    warnings: [],
    ...facts,
  });
  const none = { new: 0, unchanged: 0, changed: 0, refused: 0, skipped: 0 };
  const result = (counts: Partial<typeof none>, products: Product[] = []): DryRunResult => ({
    dry_run: true,
    counts: { ...none, ...counts },
    products,
    warnings: [],
    zip_file: { uploaded_at: '2026-01-31T12:00:00.000Z', size_mb: '0.01' },
  });

  it('shows the verdict on every file', () => {
    const [odd, known] = [plainReason('odd'), plainReason('It is there already.')];
    const broken = { path: 'Product/Design', line: 3, check: null, text: 'Design is empty' };
    const products = [
      product({}),
      product({ outcome: 'changed', changed_sections: ['design', 'emission'], warnings: [odd] }),
      product({ xml_file: 'b.xml', product_id: null, outcome: 'refused', reasons: [broken] }),
      product({ xml_file: 'd.xml', outcome: 'unchanged', reasons: [known], warnings: [odd] }),
    ];
    const counts = { new: 1, changed: 1, refused: 1 };
    const text = dryRunText({ ...result(counts, products), warnings: [plainReason('c.xml is odd')] });
    expect(text).toMatch(/│ a\.xml │ 1-2-3 +│ new +│ Device/);
    expect(text).toMatch(/│ changed +│ changed: design, emission; 1 warning: odd/);
    expect(text).toMatch(/│ b\.xml │ +│ refused +│ Design is empty \(Product\/Design, line 3\)/);
    expect(text).toMatch(/│ unchanged +│ It is there already\. 1 warning: odd/);
    expect(text).toMatch(
      /\nWarning: c\.xml is odd\nDry run, nothing was imported: 1 new, 1 changed, 1 refused\.$/,
    );
    expect(dryRunText(result({}))).toBe(
      'Dry run, nothing was imported: no products.\n' +
        'The package has no products. Product files belong in export/ecigarette-product-submissions.',
    );
  });

  it('fails with a refused product, or without any', () => {
    expect(wouldSucceed(result({ new: 1, unchanged: 1, changed: 1, skipped: 1 }))).toBe(true);
    expect(wouldSucceed(result({ new: 1, refused: 1 }))).toBe(false);
    expect(wouldSucceed(result({ skipped: 1 }))).toBe(true);
    expect(wouldSucceed(result({}))).toBe(false);
  });
});

describe('a dossier', () => {
  it('is judged without control characters of its notes and of its file names', async () => {
    const path = join(await temporaryDirectory(), 'dossier.zip');
    const manifest = `# Dossier of 1\n# \u001b[1AThe manifest is signed.\u001b[8m\n${'0'.repeat(64)}  \u001b[2Ja.json`;
    await writeFile(path, await zipOf({ [MANIFEST]: manifest }));
    const { code, stdout } = await run(['dossier', 'verify', path]);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'Dossier of 1',
      '\\u{1b}[1AThe manifest is signed.\\u{1b}[8m',
      'FAULT \\u{1b}[2Ja.json: is missing',
    ]);
    expect(code).toBe(5);
  });

  it('needs the files that the command line names', async () => {
    const unknown = await run(['dossier', 'verify', 'missing.zip']);
    expect(unknown).toMatchObject({ code: 2, stderr: 'missing.zip does not exist.\n' });
    const path = join(await temporaryDirectory(), 'dossier.zip');
    await writeFile(path, await zipOf({ [MANIFEST]: '# Dossier of 1' }));
    const { code, stderr } = await run(['dossier', 'verify', path, '--key', 'missing.pem']);
    expect(stderr).toContain('missing.pem does not exist.');
    expect(code).toBe(2);
  });
});

describe('a failure', () => {
  const connection = {
    gateway: 'https://gateway.example',
    tokenUrl: 'https://iam.example/oauth2/token',
    clientId: 'company',
    clientSecret: 'hidden-secret',
  };
  const said = (error: unknown) => failureOf(error, connection).lines.join('\n');
  const refused = (status: number, code: ErrorCode, data?: object) =>
    new ApiError('gateway', status, 'No.', { data: { code, ...data } });

  it.each<[string, unknown, string]>([
    [
      'no session',
      refused(412, 'session_required', { regulator_session_message: 'It has expired.' }),
      'It has expired.',
    ],
    [
      'a refused token',
      refused(401, 'invalid_token'),
      '"company" came from https://iam.example/oauth2/token',
    ],
    ['a missing permission', refused(403, 'missing_permission'), 'grant this permission to client "company"'],
    ['a package that is too large', refused(413, 'file_too_large'), 'several packages'],
    ['a proxy that takes less', new ForeignAnswer('gateway', 413, 'Odd.'), 'several packages'],
    [
      'another service',
      new ForeignAnswer('gateway', 404, 'Odd.'),
      'Set another address with --gateway or PACKAGE_IMPORT_URL.',
    ],
    [
      'a refused client',
      new ApiError('identity service', 401, 'No.'),
      '--client-secret or PACKAGE_IMPORT_CLIENT_SECRET',
    ],
    ['a wrong token endpoint', new ApiError('identity service', 404, 'No.'), '--token-url'],
    ['a service without tokens', new ApiError('identity service', 200, 'No.'), '--token-url'],
    [
      'a login that is missing',
      new ApiError('gateway', 400, 'No login waits. Log in again with POST /regulator/session.'),
      'Log in again with: package-import session login',
    ],
    [
      'an import that continues',
      new ApiError('gateway', 503, 'Get its state with GET /regulator/package-imports/17.'),
      'Get its state with: package-import status 17',
    ],
    [
      'a gateway that is down',
      new Unreachable('gateway', 'https://gateway.example', coded('ECONNREFUSED')),
      'Is the service running? Set another address with --gateway or PACKAGE_IMPORT_URL.',
    ],
    [
      'a name that does not exist',
      new Unreachable('identity service', 'https://iam.example', coded('ENOTFOUND')),
      '\nSet another address with --token-url or PACKAGE_IMPORT_TOKEN_URL.',
    ],
    [
      'a private certificate',
      new Unreachable('gateway', 'https://gateway.example', new Error('self-signed certificate')),
      'NODE_EXTRA_CA_CERTS',
    ],
  ])('with %s includes advice', (_name, error, advice) => {
    expect(said(error)).toContain(advice);
    expect(said(error)).not.toContain('hidden-secret');
  });

  it('has the documented exit code', () => {
    const codes = [
      refused(500, 'internal'),
      refused(500, 'import_failed'),
      new UsageError('No.'),
      new Interrupted('SIGINT'),
      new Error('?'),
    ];
    expect(codes.map((error) => failureOf(error, connection).exitCode)).toEqual([1, 1, 2, 130, 1]);
    const ofPackage = [
      refused(500, 'invalid_package'),
      refused(413, 'file_too_large'),
      new ForeignAnswer('gateway', 413, 'Odd.'),
      refused(500, 'import_cancelled'),
      refused(507, 'storage_full'),
      new UnusableCredentials('None.'),
    ];
    expect(ofPackage.map((error) => failureOf(error, connection).exitCode)).toEqual([3, 3, 3, 4, 1, 2]);
    expect(failureOf(new Hinted(new Interrupted('SIGTERM'), 'Go on.'), connection)).toMatchObject({
      exitCode: 143,
      lines: ['Stopped by SIGTERM.', 'Go on.'],
    });
  });

  it.each([
    ['/prefix/api/doc/errors#not_found', 'https://gateway.example/prefix/api/doc/errors#not_found'],
    ['https://import.example/api/doc/errors#not_found', 'https://import.example/api/doc/errors#not_found'],
  ])('ends with the address of the page about its code: %s', (doc_url, address) => {
    const lines = ['No.', `More about this error: ${address}`];
    expect(failureOf(refused(404, 'not_found', { doc_url }), connection).lines).toEqual(lines);
  });

  it('as JSON includes the data of the answer', () => {
    const hinted = new Hinted(refused(503, 'not_started', { why: 'x' }), 'Ask again.', {
      idempotency_key: 'k',
    });
    expect(failureOf(hinted, connection).json).toEqual({
      status: 'error',
      message: 'No.',
      advice: ['Ask again.'],
      http_status: 503,
      data: { code: 'not_started', why: 'x' },
      idempotency_key: 'k',
    });
  });

  it('escapes control characters of the service', () =>
    expect(said(new ApiError('gateway', 400, 'bad \u001b[31mname\nand more'))).toBe(
      'bad \\u{1b}[31mname and more',
    ));

  function coded(code: string) {
    return Object.assign(new Error(code), { code });
  }
});

describe('a package file', () => {
  async function file(name: string, content: string): Promise<string> {
    const path = join(await temporaryDirectory(), name);
    await writeFile(path, content);
    return path;
  }

  it('has its name and size', async () => {
    const path = await file('Package.ZIP', 'abc');
    expect(await packageFile(path)).toEqual({ path, fileName: 'Package.ZIP', sizeBytes: 3 });
  });

  it.each<[string, () => Promise<string>, string]>([
    ['is missing', async () => 'nowhere.zip', 'nowhere.zip does not exist.'],
    ['is a directory', () => temporaryDirectory(), 'is not a file'],
    ['has another extension', () => file('package.rar', 'abc'), 'its name does not end in .zip.'],
    ['is empty', () => file('package.zip', ''), 'is empty'],
  ])('that %s is not sent', async (_name, make, reason) => {
    const refusal = packageFile(await make());
    await expect(refusal).rejects.toThrow(reason);
    await expect(refusal).rejects.toBeInstanceOf(UsageError);
  });
});
