/** Command lines: refused before any request, or sent. */
import { spawn } from 'node:child_process';
import { readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Interrupted } from '../../cli/outcome.ts';
import { MANIFEST, MANIFEST_SIGNATURE } from '../../src/contract/dossier.ts';
import { resultOf } from '../support/child-output.ts';
import { run, spawned } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { answer, startFakeService } from '../support/fake-service.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { zipOf } from '../support/zip.ts';

async function packageFile(): Promise<string> {
  const path = join(await temporaryDirectory(), 'package.zip');
  await writeFile(path, 'some bytes');
  return path;
}

describe('a wrong command line', () => {
  it.each<[string, string[], string]>([
    ['an unknown command', ['uplaod', 'x.zip'], "unknown command 'uplaod'"],
    ['no file', ['upload'], "missing required argument 'file.zip'"],
    ['a bad address', ['upload', 'x.zip', '--email', 'someone'], 'It must be an e-mail address'],
    ['one bad address', ['upload', 'x.zip', '--email', 'a@x.example,bad'], '"bad" is not valid. It must be'],
    ['a bad key', ['upload', 'x.zip', '--idempotency-key', 'a b'], 'printable ASCII'],
    ['options that exclude each other', ['upload', 'x.zip', '--dry-run', '--wait'], 'cannot be used with'],
    ['a bad number', ['status', 'seven'], 'It must be a positive whole number.'],
    ['a number that is no id', ['status', '9007199254740992'], 'It must be a positive whole number.'],
    ['a bad length', ['list', '--limit', '1000'], 'from 1 to 200'],
    ['no import', ['status', '--wait'], "missing required argument 'import-id'"],
    ['a bad URL', ['list', '--gateway', 'ftp://x'], 'It must be a URL with http:// or https://.'],
    ['a bad profile name', ['list', '--profile', '../x'], 'It must have 1 to 64 letters'],
    ['an unknown profile', ['list', '--profile', 'nowhere'], 'package-import login --profile nowhere'],
    ['an unknown method', ['list', '--auth-method', 'magic'], 'client_secret_basic'],
    ['a missing key', ['list', '--key-file', 'nowhere.pem'], 'nowhere.pem cannot be read: ENOENT.'],
    ['an unknown status', ['list', '--status', 'odd'], 'extracting, inserting, completed'],
    ['an unknown shell', ['completion', 'tcsh'], 'bash, zsh, fish'],
    ['a missing file', ['upload', 'nowhere.zip'], 'nowhere.zip does not exist.'],
  ])('with %s ends with exit code 2 and a reason, and sends nothing', async (_name, args, reason) => {
    const service = await startFakeService(({ response }) => answer(response, 500, 'Asked.'));
    const wrong = await run([...service.options, ...args]);
    expect(wrong.stderr).toContain(reason);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect([service.requests, service.tokens]).toEqual([[], []]);
  });

  it('is reported as JSON like any failure', async () => {
    const { code, stdout } = await run(['status', 'seven', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'error', message: expect.stringContaining('seven') });
    expect(code).toBe(2);
    const missing = await run(['upload', 'nowhere.zip', '--json']);
    expect(JSON.parse(missing.stdout)).toMatchObject({ message: 'nowhere.zip does not exist.' });
    const table = await run(['report', '7', '--json']);
    expect(table).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('package-import status 7 --json'),
    });
  });

  it('is not: --help, --version', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Exit codes:\n  0 ');
    expect(await run(['--version'])).toEqual({ code: 0, stdout: 'test\n', stderr: '' });
    expect((await run(['upload', '--help'])).stdout).toContain('--idempotency-key');
  });
});

describe('a list', () => {
  const summary = {
    id: 18,
    status: 'completed',
    file_name: 'package.zip',
    comment: null,
    completed_at: '2026-01-31T12:30:00.000Z',
    zip_file: { uploaded_at: '2026-01-31T12:00:00.000Z', size_mb: '0.01' },
    progress: { local: 0, regulator_inserting: 0, regulator_inserted: 1, regulator_insert_failed: 0 },
  };
  const page = { imports: [summary], counts: null, next_before: 18 };

  it('asks for the failures among its imports, and names the next page', async () => {
    const service = await startFakeService(({ response }) =>
      answer(response, 200, 'Imports.', { data: page }),
    );
    const filters = ['--status', 'completed', '--limit', '1', '--file-name', 'zip'];
    const { code, stdout } = await run(['list', ...filters, ...service.options]);
    expect(stdout).toMatch(/\nFor the next page, repeat the command with --before 18\.\n$/);
    const asked = '/regulator/package-imports?file_name=zip&limit=1&status=completed';
    expect(service.requests.map(({ path }) => path)).toEqual([asked, `${asked}&has_failures=true`]);
    expect(code).toBe(0);
  });

  it('takes every id that the service has', async () => {
    const service = await startFakeService(({ response }) =>
      answer(response, 200, 'Imports.', { data: page }),
    );
    await run(['list', '--json', '--before', '9007199254740991', ...service.options]);
    expect(service.requests).toMatchObject([{ path: expect.stringContaining('before=9007199254740991') }]);
  });

  it('asks once if all its imports have failures, and for JSON', async () => {
    const service = await startFakeService(({ response }) =>
      answer(response, 200, 'Imports.', { data: page }),
    );
    await run(['list', '--has-failures', ...service.options]);
    await run(['list', '--json', ...service.options]);
    expect(service.requests).toHaveLength(2);
  });

  it.each([
    [[], 'There are no imports yet.'],
    [['--status', 'failed'], 'No import matches these filters.'],
  ])('without imports says so in one request: %j', async (filters, text) => {
    const service = await startFakeService(({ response }) =>
      answer(response, 200, 'Imports.', { data: { imports: [], counts: null, next_before: null } }),
    );
    const { stdout } = await run(['list', ...filters, ...service.options]);
    expect(stdout).toBe(`${text}\n`);
    expect(service.requests).toHaveLength(1);
  });
});

const answerOf = (outcome: string) => ({
  dry_run: true,
  warnings: [],
  counts: { new: 0, unchanged: 0, changed: 0, refused: 0, skipped: 0, [outcome]: 1 },
  products: [
    {
      xml_file: 'a.xml',
      product_id: '1-2-3',
      product_type: 'Device',
      outcome,
      changed_sections: [],
      reasons: [],
      warnings: [],
    },
  ],
});

describe('a dry run', () => {
  const dryRun = async (data: object, ...args: string[]) => {
    let form = new FormData();
    const service = await startFakeService(async ({ request, response, readBody }) => {
      const { 'content-type': type = '' } = request.headers;
      const body = new Uint8Array(await readBody());
      form = await new Response(body, { headers: { 'content-type': type } }).formData();
      answer(response, 200, 'Dry run.', { data });
    });
    const result = await run(['upload', await packageFile(), '--dry-run', ...args, ...service.options]);
    return { ...result, form, service };
  };

  it('sends dry_run without a key, and succeeds when nothing would be refused', async () => {
    const { code, stdout, form, service } = await dryRun(answerOf('new'));
    expect(form.get('file')).toBeInstanceOf(File);
    expect(service.requests[0]?.path).toBe('/regulator/package-import?dry_run=true');
    expect(service.requests[0]?.headers['idempotency-key']).toBeUndefined();
    expect(stdout).toContain('Dry run, nothing was imported: 1 new.');
    expect(code).toBe(0);
  });

  it('fails when a product would be refused, and prints the whole answer as JSON', async () => {
    const data = answerOf('refused');
    const { code, stdout } = await dryRun(data, '--json');
    expect(JSON.parse(stdout)).toEqual({ status: 'success', message: 'Dry run.', data });
    expect(code).toBe(4);
  });
});

describe('an answer', () => {
  it('412 is shown with its reason and the command to log in', async () => {
    const data = {
      code: 'session_required',
      regulator_session_message: 'The session has expired. Log in with POST /regulator/session.',
    };
    const service = await startFakeService(({ response }) =>
      answer(response, 412, 'An active regulator session is required.', { data }),
    );
    const { code, stderr } = await run(['upload', await packageFile(), ...service.options]);
    const advice = 'The session has expired. Log in with: package-import session login\n';
    expect(stderr.slice(stderr.indexOf('An active'))).toBe(
      `An active regulator session is required.\n${advice}`,
    );
    expect(service.requests).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('about the pause names who has paused, as the audit trail does', async () => {
    const data = { paused: true, reason: 'Maintenance', paused_by: 'person:4f1b (ann)', paused_at: null };
    const service = await startFakeService(({ response }) =>
      answer(response, 200, 'Inserting was paused: Maintenance', { data }),
    );
    const paused = await run(['inserting', 'status', ...service.options]);
    expect(paused).toMatchObject({
      code: 5,
      stdout: 'Inserting was paused: Maintenance\nPaused by person:4f1b (ann).\n',
    });
  });

  it.each([
    [['package', '2', '-o', 'nowhere/pk.zip'], 'nowhere/pk.zip'],
    [['report', '1', '-o', 'nowhere/x.csv'], 'nowhere/x.csv'],
  ])('of %j that cannot be saved ends with the reason and the option', async (args, file) => {
    const service = await startFakeService(({ response }) => response.end('content'));
    const unsaved = await run([...args, ...service.options]);
    expect(unsaved).toMatchObject({
      code: 2,
      stderr: `${file} cannot be written: the directory nowhere does not exist. Name another file with --output.\n`,
    });
  });

  it('is written to stdout for --output -, and nothing else is', async () => {
    const service = await startFakeService(({ response }) => response.end('content'));
    for (const args of [
      ['report', '1'],
      ['package', '2'],
      ['repair-pack', '3'],
    ]) {
      const saved = await run([...args, '-o', '-', ...service.options]);
      expect(saved, args[0]).toMatchObject({ code: 0, stdout: 'content', stderr: '' });
    }
    const asked = service.requests.length;
    const both = await run(['package', '2', '-o', '-', '--json', ...service.options]);
    expect(both).toMatchObject({ code: 2, stderr: '--output - and --json cannot be combined.\n' });
    expect(service.requests).toHaveLength(asked);
  });

  it.each([
    [['repair-pack', '3'], 'repair-pack-3.zip'],
    [['package', '3'], 'package-3.zip'],
    [['dossier', '99962-22-00003'], 'dossier-99962-22-00003.zip'],
  ])('of %j overwrites no file that is there already', async (args, file) => {
    const service = await startFakeService(({ response }) => response.end('content'));
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, file), 'older');
    const { code, stderr } = await spawned([...args, ...service.options], { cwd }).result;
    expect(stderr).toContain(`${file} already exists.`);
    expect(code).toBe(2);
    expect(await readFile(join(cwd, file), 'utf8')).toBe('older');
    expect(service.requests).toEqual([]);
  });

  it('to `dossier verify` that there is no key does not condemn the signature', async () => {
    const { options, url } = await startFakeService(({ response }) =>
      answer(response, 404, 'There is no key.'),
    );
    const path = join(await temporaryDirectory(), 'dossier.zip');
    await writeFile(path, await zipOf({ [MANIFEST]: '# Dossier of 1', [MANIFEST_SIGNATURE]: 'signature' }));
    const { code, stdout } = await run(['dossier', 'verify', path, '--json', ...options]);
    expect(JSON.parse(stdout)).toMatchObject({
      message: `The signature was not checked: ${url} has no public key. Name its file with --key.`,
      data: { signed: true, authentic: null },
    });
    expect(code).toBe(5);
  });

  it('that is interrupted on its way to stdout ends as a signal does', async () => {
    const stopped = new AbortController();
    const service = await startFakeService(({ response }) => {
      response.write('part', () => stopped.abort(new Interrupted('SIGINT')));
    });
    const { code } = await run(['package', '2', '-o', '-', ...service.options], { signal: stopped.signal });
    expect(code).toBe(130);
  });

  it('is written to a device that --output names, and the device stays', async () => {
    const device = join(await temporaryDirectory(), 'null');
    await symlink('/dev/null', device);
    const service = await startFakeService(({ response }) => response.end('content'));
    expect(await run(['report', '1', '-o', device, ...service.options])).toMatchObject({ code: 0 });
    const saved = await run(['package', '2', '-o', device, ...service.options]);
    expect(saved).toMatchObject({ code: 0, stdout: `${device} is written (7 bytes).\n` });
    expect(await readlink(device)).toBe('/dev/null');
  });

  it.each([
    ['status', 'POST /regulator/session', 'package-import session login'],
    ['login', 'POST /regulator/session/verification', 'package-import session verify <code>'],
    ['logout', 'POST /regulator/session', 'package-import session login'],
    ['status', 'PUT /regulator/webhook', 'package-import webhook set <url>'],
  ])(
    'to session %s that names the request %s is shown with the command',
    async (action, request, command) => {
      const message = `There is no session. Log in with ${request}.`;
      const service = await startFakeService(({ response }) =>
        answer(response, 200, message, { data: { status: 'none' } }),
      );
      const { stdout } = await run(['session', action, ...service.options]);
      expect(stdout).toBe(`There is no session. Log in with: ${command}\n`);
      const json = await run(['session', action, '--json', ...service.options]);
      expect(JSON.parse(json.stdout)).toMatchObject({ message });
    },
  );

  it('500 is retried under the same key, and then the key is shown', async () => {
    const service = await startFakeService(async ({ response, readBody }) => {
      await readBody();
      answer(response, 500, 'Internal error.');
    });
    const command = ['upload', await packageFile(), '--json', ...service.options];
    const { code, stdout, stderr } = await run(command);
    const { idempotency_key: key } = JSON.parse(stdout);
    const keys = () => service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys()).toEqual([key, key, key]);
    expect(code).toBe(1);
    const [, option = ''] = /repeat the command with (--idempotency-key .*)$/m.exec(stderr) ?? [];
    await run([...command, ...option.split(' ')]);
    expect(keys()).toEqual(Array(6).fill(key));
  });

  it('to a mended file that is lost is asked for with the printed command, under the same key', async () => {
    const sent: { key: string; body: string }[] = [];
    const service = await startFakeService(async ({ request, response, readBody }) => {
      if (request.method === 'GET') return response.end('<wrong/>');
      const body = String(await readBody());
      if (request.url?.includes('dry_run'))
        return answer(response, 200, 'Dry run.', { data: answerOf('new') });
      sent.push({ key: String(request.headers['idempotency-key']), body });
      return response.destroy();
    });
    vi.stubEnv('VISUAL', 'printf corrected >');
    const { stderr } = await run(['mend', '7', 'one.xml', ...service.options]);
    const [, command = ''] = /importing twice: package-import (mend .*)$/m.exec(stderr) ?? [];
    await run([...service.options, ...command.split(' ')]);
    expect(sent).toHaveLength(6);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    for (const { body } of sent) expect(body).toMatch(/filename="one\.xml"[\s\S]*corrected/);
  });

  it('to a mended file comes although the editor has had a Ctrl-C', async () => {
    const directory = await temporaryDirectory();
    const [editor, done] = [join(directory, 'editor.sh'), join(directory, 'done')];
    await writeFile(editor, `printf corrected > "$1"; while [ ! -e '${done}' ]; do sleep 0.1; done\n`);
    const sent: string[] = [];
    const service = await startFakeService(async ({ request, response, readBody }) => {
      if (request.method === 'GET') return response.end('<wrong/>');
      sent.push(String(await readBody()));
      answer(response, 200, 'Dry run.', { data: answerOf('refused') });
    });
    const { child, result, stderr } = spawned(['mend', '7', 'one.xml', ...service.options], {
      env: { VISUAL: `sh '${editor}'`, TMPDIR: directory },
    });
    await eventually(async () => stderr().includes('Opening'));
    child.kill('SIGINT');
    await writeFile(done, '');
    expect(await result).toMatchObject({ code: 4, stdout: expect.stringContaining('1 refused') });
    expect(sent).toEqual([expect.stringContaining('corrected')]);
  });

  it('that breaks off names the service', async () => {
    const service = await startFakeService(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('submission_id\n7\n', () => response.destroy());
    });
    const { code, stderr } = await run(['report', '7', ...service.options]);
    expect(stderr).toContain(`The gateway at ${service.url}/regulator/package-imports/7/products.csv cannot`);
    expect(code).toBe(1);
  });

  it('about a run over failures is asked for again after a lost connection', async () => {
    const runOf = (status: string) => ({
      status,
      products: 2,
      imports: 1,
      done_products: 2,
      done_imports: 1,
    });
    const service = await startFakeService(({ request, response }, number) => {
      if (request.method === 'POST') answer(response, 202, 'Started.', { data: { run: runOf('running') } });
      else if (number === 2) response.destroy();
      else answer(response, 200, 'Done.', { data: { run: runOf('completed') } });
    });
    const { code, stdout, stderr } = await run(['failures', 'retry', '--yes', ...service.options]);
    expect(stderr).toContain('Trying again');
    expect(stdout).toContain('2 products in 1 import');
    expect(code).toBe(0);
  });
});

describe('a separate process', () => {
  it('sends a package although nobody reads its progress', async () => {
    const service = await startFakeService(async ({ response, readBody }) => {
      await readBody();
      answer(response, 200, 'Dry run.', { data: answerOf('new') });
    });
    const { child, result } = spawned(['upload', await packageFile(), '--dry-run', ...service.options]);
    child.stderr?.destroy();
    expect(await result).toMatchObject({ code: 0, stdout: expect.stringContaining('Dry run, nothing') });
  });

  it.skipIf(process.platform !== 'linux')('says that its output cannot be written', async () => {
    const line = `exec '${process.execPath}' cli/package-import.ts profiles > /dev/full`;
    const { code, stderr } = await resultOf(spawn('sh', ['-c', line]));
    expect(stderr).toBe('The output cannot be written: ENOSPC: no space left on device, write.\n');
    expect(code).toBe(1);
  });
});
