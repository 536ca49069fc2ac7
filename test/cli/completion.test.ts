/** Completions of the real shells. */
import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { run } from '../support/command.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const COMMAND = fileURLToPath(new URL('../../cli/package-import.ts', import.meta.url));

const offered = async (...words: string[]) => {
  const { code, stdout } = await run(['complete', '--', ...words]);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .map((line) => line.split('\t', 1)[0])
    .filter(Boolean);
};

describe('completion', () => {
  it.each<[string[], string[]]>([
    [['re'], ['retry', 'report', 'repair-pack']],
    [
      ['session', ''],
      ['status', 'login', 'verify', 'logout', 'help'],
    ],
    [['webhook', 're'], ['redeliver']],
    [['upload', ''], [':files']],
    [['upload', 'x.zip', ''], []],
    [['--key-file', ''], [':files']],
    [['list', '--status', 'in'], ['inserting']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['status', '--client-s'], ['--client-secret']],
    [['report', '7', '--o'], ['--output']],
    [['list', '--limit', ''], []],
    [['complete', 'x', ''], []],
  ])('of %j offers %j', async (words, candidates) => expect(await offered(...words)).toEqual(candidates));

  it('offers names of profiles', async () => {
    const configDirectory = await temporaryDirectory();
    const profile = { gateway: 'https://x', tokenUrl: 'https://x', clientId: 'c' };
    await writeFile(
      join(configDirectory, 'profiles.json'),
      JSON.stringify({ first: profile, second: profile }),
      { mode: 0o600 },
    );
    const { stdout } = await run(['complete', '--', 'list', '--profile', 's'], { configDirectory });
    expect(stdout).toBe('second\t\n');
  });
});

/** A directory with the command on the path, and files to complete. */
async function place() {
  const directory = await temporaryDirectory();
  const command = join(directory, 'bin', 'package-import');
  await mkdir(join(directory, 'bin'));
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`);
  await chmod(command, 0o755);
  await writeFile(join(directory, 'my package.zip'), '');
  return { cwd: directory, env: { PATH: `${join(directory, 'bin')}:${process.env.PATH}`, HOME: directory } };
}

const has = (shell: string) => {
  try {
    execFileSync(shell, ['-c', 'true']);
    return true;
  } catch {
    return false;
  }
};

describe('in a shell', () => {
  it.skipIf(!has('bash'))('bash completes commands, values and files', async () => {
    const options = await place();
    const ask = (...words: string[]) => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(package-import ${quoted}); COMP_CWORD=${words.length}
        _package_import; printf '%s\\n' "\${COMPREPLY[@]}"`;
    };
    const script = [
      'eval "$(package-import completion bash)"',
      ask('lo'),
      ask('list', '--status', 'c'),
      ask('upload', 'my'),
    ].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], options);
    expect(stdout.split('\n').filter(Boolean)).toEqual([
      ...['login', 'logout'],
      ...['completed', 'cancelled'],
      'my package.zip',
    ]);
  });

  it.skipIf(!has('fish'))('fish completes commands and files', async () => {
    const options = await place();
    const script = `package-import completion fish | source
      complete --escape -C "package-import lo"; complete --escape -C "package-import upload my"`;
    const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script], options);
    const found = stdout.split('\n').map((line) => line.split('\t', 1)[0]);
    expect(found).toEqual(expect.arrayContaining(['login', 'logout', 'my\\ package.zip']));
  });

  it.skipIf(!has('zsh'))('zsh accepts the script', async () => {
    const options = await place();
    const script =
      'autoload -U compinit; compinit -u; eval "$(package-import completion zsh)"; whence -w _package_import';
    const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', script], options);
    expect(stdout).toBe('_package_import: function\n');
  });
});
