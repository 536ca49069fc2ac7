/** The result of a command, for people and for programs. */
import { constants } from 'node:os';

export interface Outcome {
  /** Output of `--json`: the envelope of the gateway's answer, with additions of the command. */
  json: Readonly<Record<string, unknown>>;
  /** Empty if the command has already written everything. */
  text: string;
  exitCode: number;
}

/** Scripts rely on these codes (docs/command-line.md): their meaning never changes. */
export const EXIT = {
  ok: 0,
  /** The request was refused or could not be made. */
  failed: 1,
  /** The command line is wrong. Nothing was sent. */
  usage: 2,
  /** The package as a whole was refused: nothing of it was imported. */
  packageRefused: 3,
  /** Products or files of the import failed, or were not queued. Or the package has no products. */
  productsFailed: 4,
  /** The answer is no: there is no active session, inserting is paused, or `doctor` or `dossier verify` found a fault. */
  no: 5,
} as const;

/** The answer of the gateway as a success. @param text by default its message */
export function success(
  { message, data }: { message: string; data: unknown },
  text: string = message,
  exitCode: number = EXIT.ok,
): Outcome {
  return { json: { status: 'success', message, data }, text, exitCode };
}

/** The command line asks for something impossible. Nothing was sent. */
export class UsageError extends Error {}

/** A signal ended the command. */
export class Interrupted extends Error {
  /** By the convention of shells: 128 plus the number of the signal. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`Stopped by ${signal}.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** A failure with additional facts of the command that help to resolve it. */
export class Hinted extends Error {
  /** Facts for the JSON document. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(cause: unknown, hint: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(hint, { cause });
    this.facts = facts;
  }
}
