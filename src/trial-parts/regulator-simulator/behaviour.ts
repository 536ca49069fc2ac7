/** Faults of the simulator on request (decision §the-regulator-is-a-port). */
import { z } from 'zod';
import { INSERT_STEPS } from '../../contract/steps.ts';

const behaviour = z
  .object({
    /** Added to every call of the API. */
    latency_ms: z.number().min(0),
    /** Share of case calls answered 500 before anything is done, evenly: 0.25 fails every fourth call. */
    failure_rate: z.number().min(0).max(1),
    /** Share of the other case calls that do their work, after which the connection drops, evenly as well. */
    lost_answer_rate: z.number().min(0).max(1),
    /** Every call of the API is answered 503. */
    unavailable: z.boolean(),
    /** Maximum case calls per second; further ones are answered 429 with Retry-After. Null for no limit. */
    rate_limit_per_second: z.number().positive().nullable(),
    /** Value of Retry-After in a 429. Until that time every case call is answered 429. */
    retry_after_seconds: z.int().positive(),
    /** Form of Retry-After: a number of seconds or a date (RFC 9110 §10.2.3). */
    retry_after_form: z.enum(['seconds', 'date']),
    /** Whether a session can be renewed. `refused` answers the renewal with 403, `unknown` with 404. */
    renewal: z.enum(['granted', 'refused', 'unknown']),
    /** Lifetime of sessions that begin or are renewed after the change. */
    session_ttl_seconds: z.number().positive(),
    reject: z.array(
      z.object({
        product_id: z.string(),
        step: z.enum(INSERT_STEPS),
        message: z.string().default('Rejected on request'),
      }),
    ),
  })
  .strict();

export type Behaviour = z.infer<typeof behaviour>;

/** A change of any part of the behaviour. */
export const behaviourChange = behaviour.partial();

export const GOOD_BEHAVIOUR: Readonly<Behaviour> = {
  latency_ms: 0,
  failure_rate: 0,
  lost_answer_rate: 0,
  unavailable: false,
  rate_limit_per_second: null,
  retry_after_seconds: 1,
  retry_after_form: 'seconds',
  renewal: 'granted',
  session_ttl_seconds: 8 * 60 * 60,
  reject: [],
};

/**
 * Selects a share of the calls evenly. Up to a half it never selects two attempts of one call in a row, whichever calls
 * alternate with them: after ten failures in a row an insert would wait a minute for its next attempt.
 */
export class EvenShare {
  #sum = 0;
  /** The calls that were selected when they were last made. */
  #selected = new Set<string>();

  /** @param call is the same for every attempt of a call */
  selects(share: number, call: string): boolean {
    this.#sum += share;
    const wasSelected = this.#selected.delete(call);
    if (this.#sum < 1 || (wasSelected && share <= 0.5)) return false;
    this.#sum -= 1;
    this.#selected.add(call);
    return true;
  }
}

/** Counts calls in a sliding second. A client that exceeds the limit is refused until its Retry-After has passed. */
export class RateMeter {
  #times: number[] = [];
  #closedUntil = 0;

  /** Null when the call is admitted, else the time from which calls are admitted; milliseconds since 1970. */
  refusal({ rate_limit_per_second: limit, retry_after_seconds }: Behaviour, now = Date.now()): number | null {
    if (limit === null) return null;
    if (now < this.#closedUntil) return this.#closedUntil;
    this.#times = this.#times.filter((time) => time > now - 1000);
    if (this.#times.length < limit) {
      this.#times.push(now);
      return null;
    }
    this.#closedUntil = now + retry_after_seconds * 1000;
    return this.#closedUntil;
  }
}
