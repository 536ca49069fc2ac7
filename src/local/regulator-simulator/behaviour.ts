/** How the simulator misbehaves on request (decision §the-regulator-is-a-port). */
import { z } from 'zod';
import { INSERT_STEPS } from '../../contract/steps.ts';

const behaviour = z
  .object({
    /** Added to every call of the API. */
    latency_ms: z.number().min(0),
    /** Share of case calls answered 500 before anything is done. */
    failure_rate: z.number().min(0).max(1),
    /** Share of case calls that do their work, whereupon the connection drops. */
    lost_answer_rate: z.number().min(0).max(1),
    /** Every call of the API is answered 503. */
    unavailable: z.boolean(),
    /** Case calls beyond this are answered 429 with Retry-After; null for no limit. */
    rate_limit_per_second: z.number().positive().nullable(),
    /** What a 429 says in Retry-After, and until when every further case call is answered 429 too. */
    retry_after_seconds: z.int().positive(),
    /** As a number of seconds or as a date (RFC 9110 §10.2.3). */
    retry_after_form: z.enum(['seconds', 'date']),
    /** Whether a session can be renewed; otherwise the renewal is answered 403, or 404. */
    renewal: z.enum(['granted', 'refused', 'unknown']),
    /** Lifetime of sessions that begin or are renewed from now on. */
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

/** What may be asked for: any part of it. */
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

/** Counts calls in a sliding second. Whoever calls too often has to wait, and may not call before. */
export class RateMeter {
  #times: number[] = [];
  #closedUntil = 0;

  /** Null when the call is admitted, else when the next one may come; milliseconds since 1970. */
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
