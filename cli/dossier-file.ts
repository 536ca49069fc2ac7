/** Checks a dossier: every file against the manifest, and the manifest against its signature. */
import { createHash, type KeyObject, verify } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { messageOf } from '../src/common/text.ts';
import { MANIFEST, MANIFEST_SIGNATURE } from '../src/contract/dossier.ts';
import { UsageError } from './outcome.ts';

interface CheckedDossier {
  /** Number of files with the digest of the manifest. */
  unchanged: number;
  /** One line for each file that cannot be read, differs from the manifest, is missing, or is not in it. */
  faults: string[];
  /** Lines of the manifest that describe the dossier. */
  notes: string[];
  isSigned: boolean;
  /** Whether the signature is by this key. */
  isSignedBy(publicKey: KeyObject): boolean;
}

/** A manifest names 10,000 files and some that are missing. */
const LARGEST_MANIFEST = 16 * 1024 * 1024;

/** @throws UsageError when the file is no dossier */
export async function checkDossier(path: string): Promise<CheckedDossier> {
  const refuse = (error: unknown): never => {
    throw new UsageError(`${path} cannot be read as a ZIP: ${messageOf(error)}`);
  };
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(refuse);
  const seen = new Set<string>();
  /** Digests by name; null for a file that cannot be read. */
  const found = new Map<string, string | null>();
  const faults: string[] = [];
  const readable = async <T>(fileName: string, reading: Promise<T>): Promise<T | null> => {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      faults.push(`${fileName}: cannot be read (${messageOf(error)})`);
      return null;
    }
  };
  let manifest: Buffer | null = null;
  let signature: Buffer | null = null;
  try {
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      const { fileName } = entry;
      if (seen.has(fileName)) faults.push(`${fileName}: is there twice`);
      seen.add(fileName);
      if (fileName === MANIFEST) manifest = await readable(fileName, contentOf(zip, entry));
      else if (fileName === MANIFEST_SIGNATURE) signature = await readable(fileName, contentOf(zip, entry));
      else found.set(fileName, await readable(fileName, sha256Of(zip, entry)));
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    refuse(error);
  } finally {
    zip.close();
  }
  if (!seen.has(MANIFEST)) throw new UsageError(`${path} is no dossier: it has no ${MANIFEST}.`);
  const isSigned = seen.has(MANIFEST_SIGNATURE);
  if (manifest === null) return { unchanged: 0, faults, notes: [], isSigned, isSignedBy: () => false };
  const { notes, digests } = read(manifest.toString());
  let unchanged = 0;
  for (const [name, digest] of digests) {
    const actual = found.get(name);
    if (actual === digest) unchanged += 1;
    else if (actual !== null) faults.push(`${name}: ${actual === undefined ? 'is missing' : 'was changed'}`);
  }
  for (const name of found.keys()) if (!digests.has(name)) faults.push(`${name}: is not in the manifest`);
  const signed = manifest;
  return {
    unchanged,
    faults,
    notes,
    isSigned,
    isSignedBy: (publicKey) => signature !== null && verify(null, signed, publicKey, signature),
  };
}

function read(manifest: string) {
  const notes: string[] = [];
  const digests = new Map<string, string>();
  for (const line of manifest.split('\n')) {
    if (line.startsWith('# ')) notes.push(line.slice(2));
    else if (line !== '') digests.set(line.slice(66), line.slice(0, 64));
  }
  return { notes, digests };
}

async function sha256Of(zip: ZipFile, entry: Entry): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>)
    hash.update(piece);
  return hash.digest('hex');
}

async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  if (entry.uncompressedSize > LARGEST_MANIFEST)
    throw new UsageError(`${entry.fileName} is too large for a dossier.`);
  return buffer(await zip.openReadStreamPromise(entry));
}
