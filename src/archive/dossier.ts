/**
 * Writes a dossier: files, and a manifest of their digests, signed with Ed25519 (RFC 8032) if the service has a key.
 * Files are written one after the other while the client takes them. Memory holds the digest and the directory record
 * of each.
 */
import { createHash, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { MANIFEST, MANIFEST_SIGNATURE } from '../contract/dossier.ts';
import { createZipWriter } from './zip-writer.ts';

export interface DossierFile {
  path: string;
  /** Null for a file that is no longer stored. The manifest names it. */
  content: AsyncIterable<string | Uint8Array> | null;
}

/** Hexadecimal SHA-256 of the files that have been written, by path. */
export type Digests = ReadonlyMap<string, string>;

export type Dossiers = ReturnType<typeof createDossiers>;

/** @param key an Ed25519 key; null to leave manifests unsigned */
export function createDossiers(key: KeyObject | null) {
  const publicKey = key && createPublicKey(key);

  return {
    /** PEM; null without a key. */
    publicKey: publicKey?.export({ type: 'spki', format: 'pem' }).toString() ?? null,

    /** @param title first line of the manifest */
    write(title: string, filesOf: (digests: Digests) => AsyncIterable<DossierFile>): Readable {
      return Readable.from(dossierOf(title, filesOf), { objectMode: false });
    },
  };

  async function* dossierOf(
    title: string,
    filesOf: (digests: Digests) => AsyncIterable<DossierFile>,
  ): AsyncGenerator<Buffer> {
    const zip = createZipWriter();
    const digests = new Map<string, string>();
    const missing: string[] = [];
    for await (const { path, content } of filesOf(digests)) {
      if (content === null) {
        missing.push(path);
        continue;
      }
      const digest = createHash('sha256');
      yield* zip.deflated(path, content, digest);
      digests.set(path, digest.digest('hex'));
    }
    const manifest = Buffer.from(manifestOf([title, signatureNote()], missing, digests));
    yield* zip.deflated(MANIFEST, [manifest]);
    if (key) yield* zip.deflated(MANIFEST_SIGNATURE, [sign(null, manifest, key)]);
    yield zip.end();
  }

  function signatureNote(): string {
    if (!publicKey) return 'Not signed: the service has no signing key.';
    const id = hash('sha256', publicKey.export({ type: 'spki', format: 'der' }));
    return `Signed in ${MANIFEST_SIGNATURE} with the Ed25519 key whose SHA-256 (DER) is ${id}`;
  }
}

/** The format of `sha256sum`, which ignores lines that begin with #. */
function manifestOf(notes: readonly string[], missing: readonly string[], digests: Digests): string {
  return [
    ...notes.map((note) => `# ${note}`),
    ...missing.map((path) => `# Not stored any more: ${path}`),
    ...[...digests].map(([path, digest]) => `${digest}  ${path}`),
    '',
  ].join('\n');
}
