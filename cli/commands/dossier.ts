/** `dossier`: downloads the dossier of a product. `dossier verify`: checks a downloaded one. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ApiError } from '../client/errors.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { checkDossier } from '../dossier-file.ts';
import { EXIT, type Outcome, success, UsageError } from '../outcome.ts';
import { oneLine } from '../screen.ts';
import { saveAs } from './report.ts';
import { sizeOfFile } from './upload.ts';

export function addDossierCommand(program: Command, act: Act): void {
  const dossier = program
    .command('dossier')
    .argument('<product-id>', 'ID of the product, e.g. 99962-22-00003')
    .description('download all records and files of a product as a ZIP')
    .option('-o, --output <file.zip>', 'file to write, - for stdout (default: dossier-<product-id>.zip)')
    .option('--before <id>', 'only submissions older than this one', identifier)
    .action(act(download));
  dossier
    .command('verify')
    .argument('<file.zip>', 'a downloaded dossier')
    .description('check the files of a dossier, and who has signed it')
    .option('--key <file.pem>', "the service's public key (default: ask the gateway for it)")
    .action(act(verify));
}

interface DownloadOptions {
  output?: string;
  before?: number;
}

async function download(context: Context, id: string, { output, before }: DownloadOptions): Promise<Outcome> {
  const asked = { params: { product_id: id }, query: { before } };
  const names = { output, usual: `dossier-${id}.zip` };
  return saveAs(names, () => context.client.download('getDossier', asked), context);
}

async function verify(context: Context, file: string, { key }: { key?: string }): Promise<Outcome> {
  for (const named of [file, key]) if (named !== undefined) await sizeOfFile(named);
  const { unchanged, faults, notes, isSigned, isSignedBy } = await checkDossier(file);
  const publicKey = isSigned ? await publicKeyOf(context, key) : null;
  /** Null if there is no key to check it with. */
  const isAuthentic = isSigned && publicKey && isSignedBy(publicKey);
  const source = key ?? context.options.gateway;
  const signature = !isSigned
    ? 'The manifest is not signed: it does not prove who made the dossier.'
    : isAuthentic === null
      ? `The signature was not checked: ${source} has no public key. Name its file with --key.`
      : `The manifest is ${isAuthentic ? '' : 'NOT '}signed with the key of ${source}.`;
  const text = [
    ...notes.map(oneLine),
    ...faults.map((fault) => oneLine(`FAULT ${fault}`)),
    `${unchanged} files match the manifest, ${faults.length} faults.`,
    signature,
  ].join('\n');
  const isGood = isAuthentic && faults.length === 0;
  const data = { file, unchanged, faults, notes, signed: isSigned, authentic: isAuthentic };
  return success({ message: signature, data }, text, isGood ? EXIT.ok : EXIT.no);
}

/** Null if the gateway has no key. */
async function publicKeyOf(context: Context, keyFile: string | undefined): Promise<KeyObject | null> {
  const pem = keyFile === undefined ? await askForKey(context) : await readFile(keyFile, 'utf8');
  try {
    return pem === null ? null : createPublicKey(pem);
  } catch {
    throw new UsageError(`${keyFile ?? context.options.gateway} has no public key in PEM.`);
  }
}

async function askForKey({ client }: Context): Promise<string | null> {
  try {
    return await (await client.download('getDossierKey', {})).text();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
