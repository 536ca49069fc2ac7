/**
 * Reading elements by a schema. A schema is built from readers (`leaves.ts`, `structures.ts`); the type
 * of what it reads is inferred from it.
 *
 * What a reader meets falls in three classes (docs/reading-packages.md): a *problem* refuses the file,
 * a *warning* is kept on the submission, everything else is tolerated in silence.
 */
import { BoundedNotes } from '../../domain/notes.ts';
import { excerpt } from '../../domain/text.ts';
import type { XmlElement } from '../xml/tree.ts';

/** Characters of a value that are looked at for a message, which shows fewer. */
const MAX_SHOWN = 500;

/** What was found wrong in one file. */
export class Findings {
  readonly problems = new BoundedNotes();
  readonly warnings = new BoundedNotes();
}

/** Where a reader is, and where findings go. A path is put together only when somebody wants to know it. */
export class Place {
  readonly findings: Findings;
  /** Whether an element around it is confidential: it speaks for parts that carry no flag of their own. */
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

  /** The root of a document, about which nothing is known yet. */
  static root(): Place {
    return new Place(new Findings(), true, null, '', null);
  }

  /** @param number of the item among its like, from 1 */
  below(name: string, number: number | null = null): Place {
    return new Place(this.findings, this.confidential, this, name, number);
  }

  /** The same place, once it is known whether it is confidential. */
  flagged(confidential: boolean): Place {
    return new Place(this.findings, confidential, this.#parent, this.#name, this.#number);
  }

  /** The element's path from below the root. */
  get path(): string {
    const above = this.#parent?.path ?? '';
    const own = this.#number === null ? this.#name : `${this.#name}[${this.#number}]`;
    return above === '' ? own : `${above}/${own}`;
  }

  /** Keeps the file from being imported. */
  refuse(message: string, line?: number): void {
    this.findings.problems.add(() => this.#note(message, line));
  }

  warn(message: string, line?: number): void {
    this.findings.warnings.add(() => this.#note(message, line));
  }

  #note(message: string, line: number | undefined): string {
    return `${this.path} ${message}${line === undefined ? '' : ` (line ${line})`}`;
  }
}

export interface Reader<T> {
  /** Reads an element. Undefined when it holds nothing, which only wrappers and leaves may. */
  read(element: XmlElement, place: Place): T | undefined;
}

/** What a lexical rule makes of a value: its normal form, or what was expected instead. */
export type Lexical<T> = { ok: T; remark?: string } | { expected: string };

export type Rule<T> = (value: string) => Lexical<T>;

/** The type that a reader reads. */
export type Read<R> = R extends Reader<infer T> ? T : never;

/** A value as a message may show it: shortened, escaped, and only when it is not confidential. */
export function shown(value: string, confidential: boolean): string {
  if (confidential) return '(confidential)';
  return `"${excerpt(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)}"`;
}
