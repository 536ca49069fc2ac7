/** Packs files into a ZIP, one after the other, in constant memory. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export interface PackedFile {
  path: string;
  /** How hard to try to make it smaller. */
  effort: 'none' | 'little' | 'usual';
  content(): Buffer | Readable;
}

/**
 * Local time, and no time stamps but those in local time: the bytes are the same wherever they are made.
 * (They may differ between versions of Node, whose zlib decides how well it compresses.)
 */
const MODIFIED = new Date(2025, 0, 15, 12, 0, 0);
const MODE = 0o100644;
const LEVELS = { none: 0, little: 1, usual: 6 } as const;

/** The ZIP as a stream. It fails when the content of a file does. */
export function packed(files: readonly PackedFile[]): Readable {
  const zip = new ZipFile();
  // yazl declares less than a Readable, and gives a PassThrough.
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => output.destroy(error);
  zip.on('error', fail);
  for (const { path, effort, content } of files) {
    const options = {
      mtime: MODIFIED,
      mode: MODE,
      forceDosTimestamp: true,
      compressionLevel: LEVELS[effort],
    };
    zip.addReadStreamLazy(path, options, (begin) => {
      const made = content();
      const source = Buffer.isBuffer(made) ? Readable.from([made]) : made;
      source.once('error', fail);
      begin(null, source);
    });
  }
  zip.end();
  return output;
}

/**
 * Writes a stream to a file.
 *
 * @returns its size, and the hexadecimal SHA-256 of its bytes
 * @throws the stream's error or the file system's; no file is left behind then
 */
export async function writeStream(
  source: Readable,
  path: string,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, callback: TransformCallback) {
      hash.update(chunk);
      bytes += chunk.length;
      callback(null, chunk);
    },
  });
  try {
    await pipeline(source, count, createWriteStream(path));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { bytes, sha256: hash.digest('hex') };
}
