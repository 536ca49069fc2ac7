/** Lets yauzl read a stored file through a small cache, so that a bucket is not asked for every 46 bytes. */
import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';
import { StorageFailure, type StoredFileReader } from './storage.ts';

const BLOCK_BYTES = 256 * 1024;
const BLOCKS_KEPT = 4;

export class SourceReader extends RandomAccessReader {
  readonly #file: StoredFileReader;
  /** Bytes in front of the archive proper: everything in the archive is offset by them. */
  readonly #prefix: number;
  readonly #blocks = new Map<number, Promise<Buffer>>();

  constructor(file: StoredFileReader, prefix = 0) {
    super();
    this.#file = file;
    this.#prefix = prefix;
  }

  get sizeBytes(): number {
    return this.#file.sizeBytes - this.#prefix;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    if (end - start > BLOCK_BYTES) {
      return Readable.from(named(this.#file.stream(start + this.#prefix, end + this.#prefix)), {
        objectMode: false,
      });
    }
    return Readable.from(this.#chunks(start + this.#prefix, end + this.#prefix), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#fill(buffer, offset, length, position + this.#prefix).then(
      (bytesRead) => callback(null, bytesRead),
      (error: Error) => callback(error),
    );
  }

  async #fill(buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
    let copied = 0;
    for await (const chunk of this.#chunks(position, position + length)) {
      copied += chunk.copy(buffer, offset + copied);
    }
    return copied;
  }

  async *#chunks(start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position < end; ) {
      const index = Math.floor(position / BLOCK_BYTES);
      const block = await this.#block(index);
      const from = position - index * BLOCK_BYTES;
      const chunk = block.subarray(from, from + end - position);
      if (chunk.length === 0) return;
      yield chunk;
      position += chunk.length;
    }
  }

  #block(index: number): Promise<Buffer> {
    const kept = this.#blocks.get(index);
    if (kept) return kept;
    const start = index * BLOCK_BYTES;
    const block = this.#file
      .read(start, Math.min(start + BLOCK_BYTES, this.#file.sizeBytes))
      .catch((error: unknown) => {
        this.#blocks.delete(index);
        throw new StorageFailure(error);
      });
    this.#blocks.set(index, block);
    const oldest = this.#blocks.keys().next().value;
    if (this.#blocks.size > BLOCKS_KEPT && oldest !== undefined) this.#blocks.delete(oldest);
    return block;
  }
}

async function* named(source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw new StorageFailure(error);
  }
}
