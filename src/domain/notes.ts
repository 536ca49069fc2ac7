/**
 * Bounded notes for people: warnings and reasons. The sender of a package decides how many there are. They are
 * stored, mailed and returned by the API (decision §notes-are-bounded).
 */
import { plainReason } from '../contract/reasons.ts';
import type { Reason } from '../contract/types.ts';

interface NoteBounds {
  notes: number;
  /** Size of all notes together, as JSON in UTF-8. */
  bytes: number;
}

/** Bounds for the notes of one kind in one file. */
export const NOTES_OF_A_FILE: Readonly<NoteBounds> = { notes: 100, bytes: 16 * 1024 };

/** Bytes of the notes of all product files of a package together. Notes beyond that are only counted. */
export const NOTE_BYTES_OF_A_PACKAGE = 8 * 1024 * 1024;

/**
 * Number of files of a package, other than product files, whose reason for not being read is kept. Further ones are
 * only counted.
 */
export const UNREADABLE_FILES_LISTED = 1000;

/** File name in the note that counts the unlisted files. */
export const UNLISTED_FILES = '…';

/** Its position in the archive: the largest value of an `integer` column. */
export const BEHIND_ALL = 2 ** 31 - 1;

/** Characters of the text of one note. */
const MAX_NOTE = 1000;
/** With fewer bytes left, no further note is kept. */
const MIN_BYTES = 40;

/** Notes in order of discovery. Notes beyond the bounds are only counted, and the last note gives their number. */
export class BoundedNotes {
  readonly #bounds: NoteBounds;
  readonly #notes: Reason[] = [];
  #bytes = 0;
  #more = 0;

  constructor(bounds: NoteBounds = NOTES_OF_A_FILE) {
    this.#bounds = bounds;
  }

  /** @param make is not called if the note would only be counted */
  add(make: () => Reason): void {
    if (this.#more > 0 || this.#isFull()) {
      this.#more += 1;
      return;
    }
    const note = make();
    const kept = { ...note, text: shortened(note.text) };
    const bytes = bytesOf([kept]);
    if (this.#bytes + bytes > this.#bounds.bytes) {
      this.#more += 1;
      return;
    }
    this.#notes.push(kept);
    this.#bytes += bytes;
  }

  get list(): Reason[] {
    return this.#more === 0 ? [...this.#notes] : [...this.#notes, plainReason(`… and ${this.#more} more`)];
  }

  /** Includes the notes that are not kept. */
  get count(): number {
    return this.#notes.length + this.#more;
  }

  #isFull(): boolean {
    return this.#notes.length >= this.#bounds.notes || this.#bytes + MIN_BYTES > this.#bounds.bytes;
  }
}

/** Size of notes in bytes, as they are stored. */
export function bytesOf(notes: readonly Reason[]): number {
  return notes.reduce((sum, note) => sum + Buffer.byteLength(JSON.stringify(note)), 0);
}

/** Never splits a surrogate pair: PostgreSQL rejects half of one. */
export function shortened(text: string, characters = MAX_NOTE): string {
  return text.length <= characters ? text : `${text.slice(0, characters).toWellFormed()}…`;
}
