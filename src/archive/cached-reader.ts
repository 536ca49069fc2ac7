/**
 * Reads a stored file through a small block cache. Without it, yauzl sends one request to the bucket for each 46-byte
 * directory record.
 */
import { RandomAccessReader } from 'yauzl';
import { readAhead } from '../common/read-ahead.ts';
import { filePieces, StorageFailure, type StoredFileReader } from './storage.ts';

const BLOCKS_KEPT = 4;
/**
 * Piece size. V8 puts text from larger pieces into large objects, and collects those only after hundreds have gathered.
 */
const PIECE_BYTES = 64 * 1024;

export class CachedReader extends RandomAccessReader {
  readonly #file: StoredFileReader;
  /** Bytes in front of the archive proper. Every position counts from their end. */
  readonly #prefix: number;
  readonly #blocks = new Map<number, Promise<Buffer>>();

  constructor(file: StoredFileReader, prefix: number) {
    super();
    this.#file = file;
    this.#prefix = prefix;
  }

  get sizeBytes(): number {
    return this.#file.sizeBytes - this.#prefix;
  }

  /**
   * The bytes from `start` (inclusive) to `end` (exclusive).
   *
   * @throws RangeError when they are not all in the file, StorageFailure when the storage fails
   */
  async bytes(start: number, end: number): Promise<Buffer> {
    this.#requireInside(start, end);
    const { pieceBytes } = this.#file;
    if (end - start > pieceBytes) return this.#read(start + this.#prefix, end + this.#prefix);
    const pieces: Buffer[] = [];
    for (let position = start + this.#prefix; position < end + this.#prefix; ) {
      const index = Math.floor(position / pieceBytes);
      const from = position - index * pieceBytes;
      const piece = (await this.#block(index)).subarray(from, from + end + this.#prefix - position);
      if (piece.length === 0) throw new RangeError('the file ends too early');
      pieces.push(piece);
      position += piece.length;
    }
    const [first] = pieces;
    return pieces.length === 1 && first ? first : Buffer.concat(pieces);
  }

  /** Like `bytes`, in pieces of 64 KiB at most. */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    this.#requireInside(start, end);
    const source = filePieces(this.#file, start + this.#prefix, end + this.#prefix);
    try {
      for await (const piece of readAhead(source))
        for (let at = 0; at < piece.length; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES);
    } catch (error) {
      throw new StorageFailure(error);
    }
  }

  /** yauzl reads a directory through this method only. */
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.bytes(position, position + length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (error: Error) => callback(error),
    );
  }

  #requireInside(start: number, end: number): void {
    if (start < 0 || end > this.sizeBytes) throw new RangeError('an offset points outside the file');
  }

  #block(index: number): Promise<Buffer> {
    const kept = this.#blocks.get(index);
    if (kept) return kept;
    const { pieceBytes, sizeBytes } = this.#file;
    const start = index * pieceBytes;
    const block = this.#read(start, Math.min(start + pieceBytes, sizeBytes));
    block.catch(() => this.#blocks.delete(index));
    this.#blocks.set(index, block);
    const oldest = this.#blocks.keys().next().value;
    if (this.#blocks.size > BLOCKS_KEPT && oldest !== undefined) this.#blocks.delete(oldest);
    return block;
  }

  async #read(start: number, end: number): Promise<Buffer> {
    try {
      return await this.#file.read(start, end);
    } catch (error) {
      throw new StorageFailure(error);
    }
  }
}
