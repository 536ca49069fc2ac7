/**
 * `report`: the products or files of an import as CSV. `repair-pack`: its files that have to be repaired. `package`: its
 * package as it was uploaded.
 */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import { formatBytes } from '../../src/common/measures.ts';
import { errorOfBody, isOfFile } from '../client/errors.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { EXIT, type Outcome, success, UsageError } from '../outcome.ts';

/** The name of stdout as a file. */
const STDOUT = '-';

interface ReportOptions {
  files?: true;
  output?: string;
}

export function addReportCommand(program: Command, act: Act): void {
  program
    .command('report')
    .argument('<import-id>', 'id of the import', identifier)
    .description('write the products of an import as CSV')
    .option('--files', 'the failed, skipped and unreadable files instead of the products')
    .option('-o, --output <file.csv>', 'file to write (default: stdout)')
    .action(act(report));
}

/** The exit code says whether the table was written, whatever its content. */
async function report(
  context: Context,
  id: number,
  { files, output = STDOUT }: ReportOptions,
): Promise<Outcome> {
  if (context.options.json)
    throw new UsageError(`A report is CSV. The same as JSON: package-import status ${id} --json`);
  await saveFile(await context.imports.csv(id, files ? 'files' : 'products'), output, context);
  const text = output === STDOUT ? '' : `${output} is written.`;
  return { json: {}, text, exitCode: EXIT.ok };
}

export function addRepairPackCommand(program: Command, act: Act): void {
  program
    .command('repair-pack')
    .argument('<import-id>', 'id of the import', identifier)
    .description('download the failed product files as a ZIP, to correct and upload them again')
    .option('-o, --output <file.zip>', 'file to write, - for stdout (default: repair-pack-<import-id>.zip)')
    .action(act(saving('getRepairPack', 'repair-pack')));
}

export function addPackageCommand(program: Command, act: Act): void {
  program
    .command('package')
    .argument('<import-id>', 'id of the import', identifier)
    .description('download the package of an import as it was uploaded')
    .option('-o, --output <file.zip>', 'file to write, - for stdout (default: package-<import-id>.zip)')
    .action(act(saving('getOriginalPackage', 'package')));
}

/** @param name the beginning of the file's name, unless it is given */
function saving(operation: 'getRepairPack' | 'getOriginalPackage', name: string) {
  return (context: Context, id: number, { output }: { output?: string }): Promise<Outcome> => {
    const download = () => context.client.download(operation, { params: { id } });
    return saveAs({ output, usual: `${name}-${id}.zip` }, download, context);
  };
}

/**
 * Saves a download under the given or the usual name.
 *
 * @throws Unreachable when it was incomplete; UsageError before the request
 */
export async function saveAs(
  { output, usual }: { output: string | undefined; usual: string },
  download: () => Promise<Response>,
  context: Context,
): Promise<Outcome> {
  const file = output ?? usual;
  // An existing file is not overwritten unasked: it may be repaired already, or have what retention has removed since.
  if (output === undefined && (await stat(file).catch(() => null)))
    throw new UsageError(
      `${file} already exists. Write another file, or overwrite this one, with: --output <file.zip>`,
    );
  if (file === STDOUT && context.options.json)
    throw new UsageError('--output - and --json cannot be combined.');
  const { body, url } = await download();
  const source = Readable.fromWeb(body as ReadableStream<Uint8Array>);
  const bytes = await saveFile(source, file, context).catch((error: unknown) => {
    throw errorOfBody(error, url);
  });
  if (file === STDOUT) return { json: {}, text: '', exitCode: EXIT.ok };
  const message = `${file} is written (${formatBytes(bytes)}).`;
  return success({ message, data: { file, size_bytes: bytes } });
}

/**
 * An interrupted download leaves no file that looks complete. A device or pipe, such as `/dev/null`, is written to, and
 * stays what it is. `-` is stdout.
 *
 * @returns how many bytes were written
 * @throws UsageError when the file cannot be created, the error of the source, or the reason of an aborted signal
 */
async function saveFile(
  source: AsyncIterable<string | Uint8Array>,
  file: string,
  { client: { signal }, screen: { stdout } }: Context,
): Promise<number> {
  if (file === STDOUT) {
    await pipeline(source, stdout, { end: false, ...(signal && { signal }) }).catch((error: unknown) => {
      signal?.throwIfAborted();
      // The reader has enough, such as `head`.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    });
    return 0;
  }
  const found = await stat(file).catch(() => null);
  const partial = found === null || found.isFile() ? `${file}.part` : null;
  const output = createWriteStream(partial ?? file);
  try {
    await pipeline(source, output, signal ? { signal } : {});
    if (partial !== null) await rename(partial, file);
    return output.bytesWritten;
  } catch (error) {
    if (partial !== null) await rm(partial, { force: true });
    signal?.throwIfAborted();
    throw isOfFile(error) ? new UsageError(unwritable(file, error)) : error;
  }
}

function unwritable(file: string, { code, message }: NodeJS.ErrnoException): string {
  const reason = code === 'ENOENT' ? `the directory ${dirname(file)} does not exist` : (code ?? message);
  return `${file} cannot be written: ${reason}. Name another file with --output.`;
}
