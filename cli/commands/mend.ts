/** `mend`: opens a product file that failed in an editor, checks it, and sends it as an import of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { dryRunText, wouldSucceed } from '../import-text.ts';
import { EXIT, Hinted, type Outcome, success, UsageError } from '../outcome.ts';
import { oneLine, shellWord } from '../screen.ts';
import { checkOnly, keyOption, send, sizeOfFile } from './upload.ts';

interface MendOptions {
  from?: string;
  wait?: boolean;
  idempotencyKey?: string;
}

export function addMendCommand(program: Command, act: Act): void {
  program
    .command('mend')
    .argument('<import-id>', 'id of the import', identifier)
    .argument('[file.xml]', 'name of the failed product file (default: the only one)')
    .description('correct a product file that failed in $VISUAL or $EDITOR, check it, and import it alone')
    .option('--from <corrected.xml>', 'send this corrected file instead of opening an editor')
    .option('--wait', 'wait until the import has ended')
    .addOption(keyOption())
    .action(act(mend));
}

async function mend(
  context: Context,
  mends: number,
  named: string | undefined,
  { from, wait, idempotencyKey }: MendOptions,
): Promise<Outcome> {
  const xmlFile = named ?? (await onlyFailed(context, mends));
  const path = from ?? (await edited(context, mends, xmlFile));
  if (path === null)
    return success({ message: `${oneLine(xmlFile)} was not changed. Nothing was sent.`, data: null });
  const corrected = { path, fileName: xmlFile, mends };
  try {
    const file = { ...corrected, sizeBytes: await sizeOfFile(path) };
    const { message, data } = await checkOnly(context, file);
    if (!wouldSucceed(data)) {
      const lines = [
        dryRunText(data, context.width),
        `Correct the file. Send it with: ${commandFor(corrected)}`,
      ];
      return success({ message, data }, lines.join('\n'), EXIT.productsFailed);
    }
    const again = (key: string) => commandFor(corrected, '--idempotency-key', key);
    const outcome = await send(context, { ...file, idempotencyKey }, { wait, again });
    if (from === undefined) await rm(join(path, '..'), { recursive: true });
    return outcome;
  } catch (error) {
    // The cause may have a hint of its own, about an answer that was lost.
    if (from !== undefined || error instanceof Hinted) throw error;
    throw new Hinted(error, `Your corrected file is kept. Send it with: ${commandFor(corrected)}`);
  }
}

interface Corrected {
  path: string;
  fileName: string;
  mends: number;
}

/** The command that sends a corrected file. The name is its last word, behind `--`: it may begin like an option. */
function commandFor({ path, fileName, mends }: Corrected, ...options: string[]): string {
  const words = ['package-import', 'mend', String(mends), '--from', path, ...options, '--', fileName];
  return words.map(shellWord).join(' ');
}

const NAMES_SHOWN = 20;

/** @throws UsageError when none or several have failed */
async function onlyFailed({ imports }: Context, id: number): Promise<string> {
  const { zip_import, submissions } = (await imports.report(id)).data;
  const failed = [
    ...zip_import.failed.map(({ xml_file }) => xml_file),
    ...submissions.filter(({ actions }) => actions.length > 0).map(({ xml_file }) => xml_file),
  ];
  const [first] = failed;
  if (first === undefined) throw new UsageError(`No product file of import ${id} has failed.`);
  if (failed.length === 1) return first;
  const more = failed.length > NAMES_SHOWN ? ` … and ${failed.length - NAMES_SHOWN} more` : '';
  const names = failed.slice(0, NAMES_SHOWN).join(', ');
  throw new UsageError(`Name one of the product files that have failed: ${names}${more}`);
}

/** Downloads the file and opens the editor. Returns its path; null if it was not changed. */
async function edited({ client, progress }: Context, id: number, xmlFile: string): Promise<string | null> {
  const response = await client.download('getFailedFile', { params: { id, xml_file: xmlFile } });
  const before = Buffer.from(await response.arrayBuffer());
  const directory = await mkdtemp(join(tmpdir(), 'package-import-mend-'));
  // A shell reads this path. The file's name comes from the package, so it is no part of it.
  const path = join(directory, 'product.xml');
  await writeFile(path, before);
  progress.note(`Opening ${path}, a copy of ${oneLine(xmlFile)} …`);
  await openEditor(path);
  if (!before.equals(await readFile(path))) return path;
  await rm(directory, { recursive: true });
  return null;
}

/** @throws UsageError when the editor cannot be started or fails */
async function openEditor(path: string): Promise<void> {
  const { VISUAL, EDITOR } = process.env;
  const editor = VISUAL || EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  // The variable may contain arguments, so a shell reads it, as for Git.
  const running = spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit' });
  // A Ctrl-C in the editor reaches every process of the terminal. It is meant for the editor.
  const listeners = process.rawListeners('SIGINT') as NodeJS.SignalsListener[];
  process.removeAllListeners('SIGINT').on('SIGINT', () => {});
  const [code] = await once(running, 'close').finally(() => {
    process.removeAllListeners('SIGINT');
    for (const listener of listeners) process.on('SIGINT', listener);
  });
  if (code !== 0)
    throw new UsageError(
      `The editor "${editor}" ended with ${code}. Set EDITOR, or use --from. The file is ${path}.`,
    );
}
