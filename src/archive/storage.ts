/** Where ZIPs and attachments are kept: a directory or a bucket, behind one interface. */
import type { Readable } from 'node:stream';
import { DomainError } from '../domain/errors.ts';

/** What was stored. */
export interface StoredFile {
  sizeBytes: number;
  /** Hexadecimal SHA-256 of the bytes. */
  sha256: string;
}

export interface PutOptions {
  /**
   * The storage may keep the memory of the source's buffers, so that they have no bytes afterwards: nobody else may
   * want them. For large files, which then neither take the time of the event loop nor wait for the garbage collector.
   */
  mayTakeBuffers?: boolean;
}

/** A stored file that can be read from any position. */
export interface StoredFileReader {
  readonly sizeBytes: number;
  /** The bytes from `start` (inclusive) to `end` (exclusive). */
  stream(start: number, end: number): Readable;
  /** Like `stream`, all at once: for small ranges. */
  read(start: number, end: number): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * Keys are slash-separated and made by this service only (never by a client). A key appears whole or
 * not at all: while it is being written the bytes are somewhere else.
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
   * Gives a file another key; what was there is replaced.
   *
   * @throws FileMissing when there is no such key
   */
  move(from: string, to: string): Promise<void>;
  has(key: string): Promise<boolean>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  /** The path of a key as shown to clients and operators (`zip_file_path`). */
  locate(key: string): string;
  /**
   * The keys of a folder and its subfolders that were written more than `olderThanMs` ago, in no order. What
   * is removed meanwhile may be among them or not.
   */
  list(folder: string, olderThanMs: number): AsyncGenerator<string>;
  /**
   * Removes what was written of files that never became whole, and of which nothing has come for `olderThanMs` and
   * as long as a storage may hold back what comes. Returns how many.
   */
  sweep(olderThanMs: number): Promise<number>;
  /** @throws when the storage cannot be written */
  ping(): Promise<void>;
  /** Bytes that can still be written; null where the storage has no such bound, or does not tell. */
  freeBytes(): Promise<number | null>;
}

/** The storage works and says that there is no such file: asking again would not bring it back. */
export class FileMissing extends DomainError {
  readonly code = 'internal';
  readonly permanent = true;

  constructor(location: string) {
    super(
      `The archive storage has no file at ${location}: it was removed or lost. Restore it from a backup, or send the package again.`,
    );
  }
}

/** The storage failed while a file was read or written: says nothing about the file, so that trying again makes sense. */
export class StorageFailure extends Error {
  constructor(cause: unknown) {
    super(`The archive storage failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** What is kept where. */
export const STORAGE_FOLDERS = {
  packages: 'packages',
  attachments: 'attachments',
  /** Attachments that are being read. */
  incomingAttachments: 'attachments/incoming',
  /** Results of checks without an import. */
  checks: 'checks',
} as const;

/** Key of an import's ZIP. */
export function packageKey(importUuid: string, uploadedAt: Date): string {
  const [year, month] = uploadedAt.toISOString().split('-');
  return `${STORAGE_FOLDERS.packages}/${year}/${month}/${importUuid}.zip`;
}

const PACKAGE_KEY = new RegExp(
  `^${STORAGE_FOLDERS.packages}/\\d{4}/\\d{2}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.zip$`,
);

/** Whether a key is one of a ZIP, for keys that come from elsewhere than our records. */
export function isPackageKey(key: string): boolean {
  return PACKAGE_KEY.test(key);
}

/** Key of the report of a check. */
export function checkKey(checkUuid: string): string {
  return `${STORAGE_FOLDERS.checks}/${checkUuid}.json`;
}

/** Key of an attachment's content while it is read: its digest is known only at the end. */
export function incomingAttachmentKey(unique: string): string {
  return `${STORAGE_FOLDERS.incomingAttachments}/${unique}`;
}

/** Key of an attachment's content: by its digest, so that the same content is stored once. */
export function attachmentKey(sha256: string): string {
  return `${STORAGE_FOLDERS.attachments}/${sha256.slice(0, 2)}/${sha256}`;
}
