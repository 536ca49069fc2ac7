/** How the simulator misbehaves on request (design §8). */
import { z } from 'zod';
import { INSERT_STEPS } from '../../domain/steps.ts';

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
  session_ttl_seconds: 8 * 60 * 60,
  reject: [],
};

/** Counts calls in a sliding second. */
export class RateMeter {
  #times: number[] = [];

  /** False when the call is one too many; it is not counted then. */
  admit(limit: number, now = Date.now()): boolean {
    this.#times = this.#times.filter((time) => time > now - 1000);
    if (this.#times.length >= limit) return false;
    this.#times.push(now);
    return true;
  }
}
