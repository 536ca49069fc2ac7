/** Results of the upload middleware for its handler. */
import type { StoredFile } from '../../archive/storage.ts';

export interface ReceivedArchive extends StoredFile {
  storageKey: string;
  /** The client's file name, made safe for logs and mails. */
  fileName: string;
}

export interface Upload {
  archive: ReceivedArchive;
  /** The text parts of the form, not validated yet. */
  fields: Readonly<Record<string, unknown>>;
  /** Whether the archive belongs to a stored import. It stays even if the request fails. */
  kept: boolean;
}

export interface UploadKey {
  key: string;
  /** Whether the tenant has used the key before. */
  known: boolean;
}

/** A dry run requested by the query of an upload. */
export interface AskedDryRun {
  /** Whether to show each product's difference to its last inserted version. */
  diff: boolean;
}
