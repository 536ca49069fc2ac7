/**
 * Notes for people, warnings and reasons, within bounds: whoever sends a package decides how many there are, and
 * they are kept, mailed and answered with (decision §notes-are-bounded).
 */

export interface NoteBounds {
  notes: number;
  /** Of all notes together, in UTF-8. */
  bytes: number;
}

/** Of one kind in one file. */
export const NOTES_OF_A_FILE: Readonly<NoteBounds> = { notes: 100, bytes: 16 * 1024 };

/** Notes of all product files of a package together, in bytes; those beyond are only counted. */
export const NOTE_BYTES_OF_A_PACKAGE = 8 * 1024 * 1024;

/** Attachment and submitter files of a package whose reason is kept for each; more are only counted. */
export const UNREADABLE_FILES_LISTED = 1000;

/** Stands for the name of the file in the note that counts those that are not listed. */
export const UNLISTED_FILES = '…';

/** Characters of one note. */
const MAX_NOTE = 1000;
/** No note is so short that fewer bytes are worth keeping it. */
const LEAST_BYTES = 40;

/** Notes in order of discovery; those beyond the bounds are only counted, and the last note says how many. */
export class BoundedNotes {
  readonly #bounds: NoteBounds;
  readonly #notes: string[] = [];
  #bytes = 0;
  #more = 0;

  constructor(bounds: NoteBounds = NOTES_OF_A_FILE) {
    this.#bounds = bounds;
  }

  /** @param note is not asked for where it would only be counted */
  add(note: string | (() => string)): void {
    if (this.#more > 0 || this.#isFull()) {
      this.#more += 1;
      return;
    }
    const kept = shortened(typeof note === 'string' ? note : note());
    const bytes = Buffer.byteLength(kept);
    if (this.#bytes + bytes > this.#bounds.bytes) {
      this.#more += 1;
      return;
    }
    this.#notes.push(kept);
    this.#bytes += bytes;
  }

  get list(): string[] {
    return this.#more === 0 ? [...this.#notes] : [...this.#notes, `… and ${this.#more} more`];
  }

  /** Also of those that are not kept. */
  get count(): number {
    return this.#notes.length + this.#more;
  }

  #isFull(): boolean {
    return this.#notes.length >= this.#bounds.notes || this.#bytes + LEAST_BYTES > this.#bounds.bytes;
  }
}

/** What notes take, in bytes. */
export function bytesOf(notes: readonly string[]): number {
  return notes.reduce((sum, note) => sum + Buffer.byteLength(note), 0);
}

/** A pair of characters is not cut in two: half of one is no text for PostgreSQL. */
export function shortened(note: string, characters = MAX_NOTE): string {
  return note.length <= characters ? note : `${note.slice(0, characters).toWellFormed()}…`;
}
