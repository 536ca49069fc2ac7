/** What the middleware of an upload finds out for its handler. */
import type { StoredFile } from '../../archive/storage.ts';

export interface ReceivedArchive extends StoredFile {
  storageKey: string;
  /** As the client named it, in a form that can stand in a log or a mail. */
  fileName: string;
}

export interface Upload {
  archive: ReceivedArchive;
  /** The text parts of the form, not judged yet. */
  fields: Readonly<Record<string, unknown>>;
  /** The archive belongs to a stored import: it stays whatever happens to the request. */
  kept: boolean;
}

/** An Idempotency-Key. */
export interface UploadKey {
  key: string;
  /** Whether the client has used the key before. */
  known: boolean;
}

/** A dry run that the query of an upload asks for. */
export interface AskedDryRun {
  /** Each product is to be shown as a difference to what was inserted last. */
  diff: boolean;
}
