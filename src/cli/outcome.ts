/** What a command came to, for people and for programs. */
export interface Outcome {
  /** What `--json` prints: the envelope of the gateway's answer, and what the command adds to it. */
  json: Readonly<Record<string, unknown>>;
  text: string;
  /** False: something failed, and the exit code says so. */
  ok: boolean;
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

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
