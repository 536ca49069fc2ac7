/** What the simulator remembers of the calls that it got, so that tests can measure how clients behave. */

export interface LoggedCall {
  /** When it arrived and when it was answered, in milliseconds since 1970. */
  at: number;
  answered_at: number;
  method: string;
  path: string;
  status: number;
  /** Before when the client was asked not to call again, with a 429; null otherwise. */
  retry_at: number | null;
}

const KEPT = 50_000;

/** In the order of their answers; the last ones only. */
export class CallLog {
  #calls: LoggedCall[] = [];

  add(call: LoggedCall): void {
    if (this.#calls.length >= KEPT) this.#calls = this.#calls.slice(KEPT / 2);
    this.#calls.push(call);
  }

  get calls(): readonly LoggedCall[] {
    return this.#calls;
  }

  clear(): void {
    this.#calls = [];
  }
}
