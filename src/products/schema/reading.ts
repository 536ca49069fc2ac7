/**
 * Reads elements by a schema. A schema is built from readers (`leaves.ts`, `structures.ts`). The type
 * of its result is inferred from it.
 *
 * Findings have three classes (docs/reading-packages.md): a *problem* refuses the file,
 * a *warning* is kept on the submission, any other deviation is tolerated silently.
 */

import { excerpt } from '../../common/text.ts';
import type { Reason } from '../../contract/types.ts';
import { BoundedNotes } from '../../domain/notes.ts';
import type { XmlElement } from '../xml/tree.ts';

/** Maximum characters of a value that a message processes. It shows fewer. */
const MAX_SHOWN = 500;

/** Problems and warnings of one file, and the places that later checks report. */
export class Findings {
  readonly problems = new BoundedNotes();
  readonly warnings = new BoundedNotes();
  /** Place and line of each list item and each reference. */
  readonly origins = new Map<object, Origin>();
}

export interface Origin {
  place: Place;
  line: number;
}

/** Position of a reader in the document, and collector of its findings. The path is built only on demand. */
export class Place {
  readonly findings: Findings;
  /** Whether a surrounding element is confidential. It applies to parts without a flag of their own. */
  readonly confidential: boolean;
  readonly #parent: Place | null;
  readonly #name: string;
  readonly #number: number | null;

  private constructor(
    findings: Findings,
    confidential: boolean,
    parent: Place | null,
    name: string,
    number: number | null,
  ) {
    this.findings = findings;
    this.confidential = confidential;
    this.#parent = parent;
    this.#name = name;
    this.#number = number;
  }

  /** The root of a document. Its confidentiality is not yet known, so it counts as confidential. */
  static root(name: string): Place {
    return new Place(new Findings(), true, null, name, null);
  }

  /** @param number position among the elements of the same name, from 1 */
  below(name: string, number: number | null = null): Place {
    return new Place(this.findings, this.confidential, this, name, number);
  }

  /** The same place with its confidentiality. */
  flagged(confidential: boolean): Place {
    return new Place(this.findings, confidential, this.#parent, this.#name, this.#number);
  }

  /** The element's path from below the root; null for the root. */
  get path(): string | null {
    if (this.#parent === null) return null;
    const above = this.#parent.path;
    return above === null ? this.#element : `${above}/${this.#element}`;
  }

  get #element(): string {
    return this.#number === null ? this.#name : `${this.#name}[${this.#number}]`;
  }

  /**
   * Refuses the file.
   *
   * @param statement about the element: `is missing`
   * @param check the product check that found it
   */
  refuse(statement: string, line?: number, check?: string): void {
    this.findings.problems.add(() => this.#reason(statement, line, check));
  }

  /** Like `refuse`, but the file is read all the same. */
  warn(statement: string, line?: number, check?: string): void {
    this.findings.warnings.add(() => this.#reason(statement, line, check));
  }

  #reason(statement: string, line: number | null = null, check: string | null = null): Reason {
    return { path: this.path, line, check, text: `${this.#element} ${statement}` };
  }
}

export interface Reader<T> {
  /** Reads an element. Undefined when it is empty, which only wrappers and leaves may be. */
  read(element: XmlElement, place: Place): T | undefined;
}

/** Result of a lexical rule: the normal form, or the expected form. */
export type Lexical<T> = { ok: T; remark?: string } | { expected: string };

export type Rule<T> = (value: string) => Lexical<T>;

/** The type that a reader reads. */
export type Read<R> = R extends Reader<infer T> ? T : never;

/** A value for a message: shortened, escaped, and only if it is not confidential. */
export function shown(value: string, confidential: boolean): string {
  if (confidential) return '(confidential)';
  return `"${excerpt(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)}"`;
}
