/** What a command came to, for people and for programs. */
export interface Outcome {
  /** What `--json` prints: the envelope of the gateway's answer, and what the command adds to it. */
  json: Readonly<Record<string, unknown>>;
  /** Empty: everything has been said. */
  text: string;
  exitCode: number;
}

/** Scripts rely on them (docs/command-line.md): none gets another meaning. */
export const EXIT = {
  ok: 0,
  /** The request was refused or could not be made. */
  failed: 1,
  /** The command line is wrong. Nothing was sent. */
  usage: 2,
  /** The package as a whole was refused: nothing of it was imported. */
  packageRefused: 3,
  /** Products or files of the import failed, or were not queued. */
  productsFailed: 4,
  /** What was asked about is not so: no active session, inserting is paused. */
  no: 5,
} as const;

/** The command line asks for something that cannot be. Nothing has been sent. */
export class UsageError extends Error {}

/** A signal ended the command. */
export class Interrupted extends Error {
  /** As shells have it: 128 and the number of the signal. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals, number: number) {
    super(`Stopped by ${signal}.`);
    this.exitCode = 128 + number;
  }
}

/** A failure, and what the command knows that helps with it. */
export class Hinted extends Error {
  readonly hint: string;
  /** For the JSON document. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(cause: unknown, hint: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(hint, { cause });
    this.hint = hint;
    this.facts = facts;
  }
}
