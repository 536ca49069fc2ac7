/**
 * Reading elements by a schema. A schema is built from readers (`leaves.ts`, `structures.ts`); the type
 * of what it reads is inferred from it.
 *
 * What a reader meets falls in three classes (docs/reading-packages.md): a *problem* refuses the file,
 * a *warning* is kept on the submission, everything else is tolerated in silence.
 */
import { excerpt } from '../../domain/text.ts';
import type { XmlElement } from '../xml/tree.ts';

const MAX_NOTES = 100;

/** What was found wrong in one file. */
export class Findings {
  readonly problems = new Notes();
  readonly warnings = new Notes();
}

/** Messages in order of discovery; after the first hundred only counted. */
export class Notes {
  readonly #messages: string[] = [];
  #more = 0;

  add(message: string): void {
    if (this.#messages.length < MAX_NOTES) this.#messages.push(message);
    else this.#more += 1;
  }

  get list(): string[] {
    return this.#more === 0 ? [...this.#messages] : [...this.#messages, `… and ${this.#more} more`];
  }

  get count(): number {
    return this.#messages.length + this.#more;
  }
}

/** Where a reader is: the element's path from below the root, and where findings go. */
export interface Place {
  readonly path: string;
  readonly findings: Findings;
  /** Whether an element around it is confidential: it speaks for parts that carry no flag of their own. */
  readonly confidential: boolean;
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

export function below(place: Place, name: string): Place {
  return { ...place, path: place.path === '' ? name : `${place.path}/${name}` };
}

export function warn(place: Place, message: string, line?: number): void {
  place.findings.warnings.add(describe(place, message, line));
}

export function refuse(place: Place, message: string, line?: number): void {
  place.findings.problems.add(describe(place, message, line));
}

/** A value as a message may show it: shortened, escaped, and only when it is not confidential. */
export function shown(value: string, confidential: boolean): string {
  return confidential ? '(confidential)' : `"${excerpt(value)}"`;
}

function describe(place: Place, message: string, line: number | undefined): string {
  return `${place.path} ${message}${line === undefined ? '' : ` (line ${line})`}`;
}
