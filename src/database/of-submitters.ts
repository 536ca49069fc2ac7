import { sql } from 'kysely';
import type { Submitters } from '../domain/submitters.ts';

/** @param column of a product ID, whose first five digits name the submitter (package format §2) */
export function ofSubmitters(column: string, submitters: Submitters) {
  const listed = JSON.stringify(submitters);
  return sql<boolean>`left(${sql.ref(column)}, 5) in (select jsonb_array_elements_text(${listed}::jsonb))`;
}
