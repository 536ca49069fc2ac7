/** Log of the simulator's received calls, so that tests can measure the behaviour of clients. */

export interface LoggedCall {
  /** Times of arrival and of the answer, in milliseconds since 1970. */
  at: number;
  answered_at: number;
  method: string;
  path: string;
  status: number;
  /** Time before which a 429 forbade another call; null for other answers. */
  retry_at: number | null;
}

const KEPT = 50_000;

/** Calls in the order of their answers. Only the last ones are kept. */
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
