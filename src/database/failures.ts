/** Conditions on failed submissions: which of them match a filter, and the code and the step of each. */
import { sql } from 'kysely';
import type { FailureCode, FailureFilter } from '../contract/failures.ts';
import { INSERT_STEPS, type InsertStep } from '../contract/steps.ts';

/** The code of the submission `s`. One that was never run has none. */
export const CODE_OF_FAILURE = sql<FailureCode>`coalesce(s.failure_code, 'not_queued')`;

const CASES = INSERT_STEPS.map((step) => sql`when not ${sql.ref(`s.${step}`)} then ${sql.lit(step)}`);
/** The first step of the submission `s` that is not done. */
export const STEP_OF_FAILURE = sql<InsertStep | null>`case ${sql.join(CASES, sql` `)} end`;

/** Condition on the submission `s`. */
export function matchesFailure({ failedSince = null, submitterId = null, groups }: Nullable) {
  const patterns = groups?.map((group) => group.replace(/^:/, '%:').replace(/:$/, ':%')) ?? null;
  return sql<boolean>`(${failedSince}::timestamptz is null or s.updated_at >= ${failedSince})
    and (${submitterId}::text is null or left(s.product_id, 5) = ${submitterId})
    and (${patterns}::text[] is null
         or ${CODE_OF_FAILURE} || ':' || coalesce(${STEP_OF_FAILURE}, '') like any(${patterns}))`;
}

type Nullable = { [Name in keyof FailureFilter]: FailureFilter[Name] | null };
