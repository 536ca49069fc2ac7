/** `upload`: sends a package, and follows its import on request. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { formatBytes } from '../../src/common/measures.ts';
import { IDEMPOTENCY_KEY_CHARACTERS, IDEMPOTENCY_KEY_LENGTH } from '../../src/contract/limits.ts';
import { addressesIn } from '../../src/contract/recipients.ts';
import type { DryRunResult, ImportResult } from '../../src/contract/types.ts';
import type { Answer } from '../client/api-client.ts';
import { isTemporary } from '../client/errors.ts';
import type { PackageUpload } from '../client/package-imports.ts';
import type { FileToSend } from '../client/send-file.ts';
import type { Act, Context } from '../context.ts';
import { dryRunText, exitCodeOf, importText, wouldSucceed } from '../import-text.ts';
import { EXIT, Hinted, type Outcome, success, UsageError } from '../outcome.ts';
import { waitForImport } from '../wait.ts';

interface UploadOptions {
  email?: string;
  comment?: string;
  wait?: boolean;
  dryRun?: boolean;
  idempotencyKey?: string;
}

export function addUploadCommand(program: Command, act: Act): void {
  program
    .command('upload')
    .argument('<file.zip>', 'package to import')
    .description('import a package')
    .option('--email <addresses>', 'addresses for the summary mail, separated by commas', emailAddresses)
    .option('--comment <text>', 'text to store with the import and its submissions')
    .option('--wait', 'wait until the import has ended')
    .addOption(
      new Option('--dry-run', 'show the result of an import without importing').conflicts([
        'wait',
        'idempotencyKey',
      ]),
    )
    .addOption(keyOption())
    .action(act(upload));
}

export function keyOption(): Option {
  const description = 'key of the upload; repeat it to get an answer that was lost (default: a new key)';
  return new Option('--idempotency-key <key>', description).argParser(idempotencyKey);
}

async function upload(context: Context, path: string, options: UploadOptions): Promise<Outcome> {
  const file = await packageFile(path);
  const { email, comment } = options;
  const announced = `${file.fileName} (${formatBytes(file.sizeBytes)})`;
  if (options.dryRun) {
    context.progress.note(`Checking ${announced} …`);
    return dryRun(context, { ...file, email, comment });
  }
  context.progress.note(`Uploading ${announced} …`);
  return send(
    context,
    { ...file, email, comment, idempotencyKey: options.idempotencyKey },
    { wait: options.wait },
  );
}

interface SendOptions {
  wait?: boolean | undefined;
  /** Says how to send the file again under a key. */
  again?: (key: string) => string;
}

/** Imports a file. Its key is a new one, unless it has one. @throws Hinted with the key, if the result is uncertain */
export async function send(
  context: Context,
  file: PackageUpload,
  { wait, again = (key) => `repeat the command with --idempotency-key ${key}` }: SendOptions,
): Promise<Outcome> {
  const key = file.idempotencyKey ?? randomUUID();
  const answer = await sendOnce(context, { ...file, idempotencyKey: key }, again);
  const { data } = answer;
  const envelope = { status: 'success', message: answer.message, idempotency_key: key };
  if (!wait) {
    const hint =
      data.queue.queued_count > 0 ? [`Wait for it with: package-import status ${data.id} --wait`] : [];
    const text = [answer.message, importText(data, context.width), ...hint].join('\n');
    return { json: { ...envelope, data }, text, exitCode: exitCodeOf(data) };
  }
  context.progress.note(answer.message);
  const report = await waitForImport(context, data.id);
  return {
    json: { ...envelope, data: report },
    text: importText(report, context.width),
    exitCode: exitCodeOf(report),
  };
}

async function dryRun(context: Context, file: PackageUpload): Promise<Outcome> {
  const { message, data } = await checkOnly(context, file);
  const text = dryRunText(data, context.width);
  return success({ message, data }, text, wouldSucceed(data) ? EXIT.ok : EXIT.productsFailed);
}

export function checkOnly(context: Context, file: PackageUpload): Promise<Answer<DryRunResult>> {
  return withProgress(context, file, context.imports.dryRun);
}

/** @throws Hinted with the key, if the result of the upload is uncertain */
async function sendOnce(
  context: Context,
  file: PackageUpload & { idempotencyKey: string },
  again: (key: string) => string,
): Promise<Answer<ImportResult>> {
  try {
    return await withProgress(context, file, context.imports.upload);
  } catch (error) {
    if (!isTemporary(error) && !context.client.signal?.aborted) throw error;
    const key = file.idempotencyKey;
    const hint = `Get the result without importing twice: ${again(key)}`;
    throw new Hinted(error, hint, { idempotency_key: key });
  }
}

async function withProgress<A>(
  { progress }: Context,
  file: PackageUpload,
  send: (file: PackageUpload) => Promise<A>,
): Promise<A> {
  try {
    return await send({
      ...file,
      onProgress(sent) {
        progress.uploading({ total: file.sizeBytes, done: sent });
        if (sent >= file.sizeBytes) progress.note('Sent. Waiting for the answer …');
      },
    });
  } finally {
    progress.end();
  }
}

/** Checks early: the gateway checks it too, but only after it has the whole file. */
function emailAddresses(text: string): string {
  const addresses = addressesIn(text);
  const invalid = addresses.find((address) => !z.email().safeParse(address).success);
  if (addresses.length === 0 || invalid !== undefined) {
    const named = invalid === undefined ? '' : `"${invalid}" is not valid. `;
    throw new InvalidArgumentError(`${named}It must be an e-mail address, or several separated by commas.`);
  }
  return text;
}

function idempotencyKey(text: string): string {
  const isKey = IDEMPOTENCY_KEY_CHARACTERS.test(text) && text.length <= IDEMPOTENCY_KEY_LENGTH;
  if (!isKey)
    throw new InvalidArgumentError(
      `It must have 1 to ${IDEMPOTENCY_KEY_LENGTH} printable ASCII characters without spaces.`,
    );
  return text;
}

/**
 * Checks a package before any of it is sent. Does not check the size: only the gateway knows the limit, and it answers
 * before it accepts the body.
 *
 * @throws UsageError
 */
export async function packageFile(path: string): Promise<FileToSend & { fileName: string }> {
  const sizeBytes = await sizeOfFile(path);
  const fileName = basename(path);
  if (!/\.zip$/i.test(fileName))
    throw new UsageError(`${path} is not a package: its name does not end in .zip.`);
  if (sizeBytes === 0) throw new UsageError(`${path} is empty.`);
  return { path, fileName, sizeBytes };
}

/**
 * The size of a file that the command line names.
 *
 * @throws UsageError when there is no such file
 */
export async function sizeOfFile(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read: ${error.message}.`,
    );
  });
  if (!found.isFile()) throw new UsageError(`${path} is not a file.`);
  return found.size;
}
