/** `repair-pack`: downloads the files of an import that have to be repaired. */
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import { formatBytes } from '../../src/common/measures.ts';
import { Unreachable } from '../client/errors.ts';
import { packageImportsOf } from '../client/package-imports.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { EXIT, type Outcome, UsageError } from '../outcome.ts';
import { saveFile } from '../save-file.ts';

export function addRepairPackCommand(program: Command, act: Act): void {
  program
    .command('repair-pack')
    .argument('<import-id>', 'id of the import', identifier)
    .description('download the failed product files as a ZIP, to correct and upload them again')
    .option('-o, --output <file.zip>', 'file to write (default: repair-pack-<import-id>.zip)')
    .action(act(repairPack));
}

async function repairPack(context: Context, id: number, { output }: { output?: string }): Promise<Outcome> {
  const file = output ?? `repair-pack-${id}.zip`;
  // An existing file is not overwritten: it may be repaired already and not uploaded yet.
  if (output === undefined && (await stat(file).catch(() => null)))
    throw new UsageError(
      `${file} already exists. Write another file, or overwrite this one, with: --output <file.zip>`,
    );
  const response = await packageImportsOf(context.client).repairPack(id);
  const bytes = await save(response, file, context);
  const message = `${file} is written (${formatBytes(bytes)}).`;
  return {
    json: { status: 'success', message, data: { file, size_bytes: bytes } },
    text: message,
    exitCode: EXIT.ok,
  };
}

async function save(response: Response, file: string, { client, options }: Context): Promise<number> {
  try {
    const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    return await saveFile(body, file, client.signal);
  } catch (error) {
    if (error instanceof TypeError) throw new Unreachable('gateway', options.gateway, error);
    throw error;
  }
}
