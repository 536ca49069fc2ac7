/** Storage of ZIPs and attachments: a directory or a bucket, behind one interface. */
import { Readable } from 'node:stream';
import { DomainError } from '../domain/errors.ts';

/** Facts about a stored file. */
export interface StoredFile {
  sizeBytes: number;
  /** Hexadecimal SHA-256 of the bytes. */
  sha256: string;
}

export interface PutOptions {
  /**
   * The storage may free the memory of the source's buffers, which are empty afterwards. Nobody else may use them. For
   * large files: their bytes then do not wait for the garbage collector.
   */
  mayTakeBuffers?: boolean;
}

/** A stored file that can be read from any position. */
export interface StoredFileReader {
  readonly sizeBytes: number;
  /** Bytes that are best read at a time: a request to a bucket costs more than most files. */
  readonly pieceBytes: number;
  /**
   * The bytes from `start` (inclusive) to `end` (exclusive); fewer only at the end of the file. `filePieces` and
   * `fileStream` read more than fits into memory.
   */
  read(start: number, end: number): Promise<Buffer>;
  /** Never rejects: what was read stays good. */
  close(): Promise<void>;
}

/**
 * A part of a stored file. The next piece is read when the caller has taken the one before.
 *
 * @throws when the file ends before
 */
export async function* filePieces(
  file: Pick<StoredFileReader, 'pieceBytes' | 'read'>,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let position = start; position < end; position += file.pieceBytes) {
    const wanted = Math.min(end, position + file.pieceBytes);
    const piece = await file.read(position, wanted);
    if (piece.length < wanted - position) throw new Error('The stored file is shorter than its record.');
    yield piece;
  }
}

/** Like `filePieces`, as a stream; by default of the whole file. */
export function fileStream(file: StoredFileReader, start = 0, end = file.sizeBytes): Readable {
  return Readable.from(filePieces(file, start, end), { objectMode: false });
}

/**
 * Keys are slash-separated. Only this service makes them, never a client. A key appears with its whole file or
 * not at all: incomplete files are kept elsewhere.
 */
export interface ArchiveStorage {
  /**
   * Streams a file in, in constant memory.
   *
   * @throws the source's error, or the storage's, StorageFull and StorageFailure among them; nothing is left behind in any case
   */
  put(key: string, source: Readable, options?: PutOptions): Promise<StoredFile>;
  /** @throws FileMissing when there is no such key */
  open(key: string): Promise<StoredFileReader>;
  /**
   * Gives a file another key, and replaces any file that has it.
   *
   * @throws FileMissing when there is no such key
   */
  move(from: string, to: string): Promise<void>;
  has(key: string): Promise<boolean>;
  /** Removing a missing key is no error. */
  remove(key: string): Promise<void>;
  /** The path of a key as shown to clients and operators (`zip_file_path`). */
  locate(key: string): string;
  /**
   * The keys of a folder and its subfolders that were written more than `olderThanMs` ago, unordered. Files
   * that are removed meanwhile may or may not be listed.
   */
  list(folder: string, olderThanMs: number): AsyncGenerator<string>;
  /**
   * Removes incomplete files that got no byte for `olderThanMs` plus the time that a storage may buffer
   * bytes. Returns how many.
   */
  sweep(olderThanMs: number): Promise<number>;
  /** @throws when the storage cannot be written */
  ping(): Promise<void>;
  /** Bytes that can still be written; null if the storage has no such limit, or does not report it. */
  freeBytes(): Promise<number | null>;
}

/** The storage works and reports that there is no such file. A retry would not find it. */
export class FileMissing extends DomainError {
  readonly permanent = true;

  constructor(location: string) {
    super(
      `The archive storage has no file at ${location}: it was removed or lost. Restore it from a backup, or send the package again.`,
    );
  }
}

/** The storage failed while a file was read or written. The file itself may be intact, so a retry makes sense. */
export class StorageFailure extends Error {
  constructor(cause: unknown) {
    super(`The archive storage failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Folders of the archive. */
export const STORAGE_FOLDERS = {
  packages: 'packages',
  attachments: 'attachments',
  /** Attachments that are being read. */
  incomingAttachments: 'attachments/incoming',
  /** Results of checks without an import. */
  checks: 'checks',
} as const;

/** Key of an import's ZIP. ZIPs whose upload began in the same month share a folder. */
export function packageKey(importUuid: string, uploadedAt: Date): string {
  const [year, month] = uploadedAt.toISOString().split('-');
  return `${STORAGE_FOLDERS.packages}/${year}/${month}/${importUuid}.zip`;
}

const PACKAGE_KEY = new RegExp(
  `^${STORAGE_FOLDERS.packages}/\\d{4}/\\d{2}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\.zip$`,
);

/** The uuid in the key of a ZIP. @throws for another key */
export function packageUuid(key: string): string {
  const uuid = PACKAGE_KEY.exec(key)?.[1];
  if (uuid === undefined) throw new Error(`${key} is not the key of a package`);
  return uuid;
}

/** Whether a key is that of a ZIP, for keys from outside the service's records. */
export function isPackageKey(key: string): boolean {
  return PACKAGE_KEY.test(key);
}

/** Key of the report of a check. */
export function checkKey(checkUuid: string): string {
  return `${STORAGE_FOLDERS.checks}/${checkUuid}.jsonl`;
}

/** Key of an attachment's content while one attempt reads it: its digest is known only at the end. */
export function incomingAttachmentKey(unique: string): string {
  return `${STORAGE_FOLDERS.incomingAttachments}/${unique}`;
}

/** Key of an attachment's content. It is the digest, so that the same content is stored once. */
export function attachmentKey(sha256: string): string {
  return `${STORAGE_FOLDERS.attachments}/${sha256.slice(0, 2)}/${sha256}`;
}
