/** Pages of a list, put together by what each of them covers. Pure. */
import type { components } from '../../api/generated/api.d.ts';

export type Import = components['schemas']['ImportSummary'];

/** A page of the API: all that the filter lets through from `next_before` on. */
export interface Page {
  imports: readonly Import[];
  next_before: number | null;
}

/**
 * What is known with a page that has come: it says everything of its part, the rest stays.
 *
 * @param before what the page was asked with; null for the newest
 */
export function withPage(known: Page | null, page: Page, before: number | null): Page {
  const lowest = page.next_before ?? 0;
  const newest = known?.imports[0]?.id;
  // More have come than a page holds, while nobody looked: what lies between is not known.
  const hasGap = before === null && newest !== undefined && newest < lowest;
  if (known === null || newest === undefined || hasGap) {
    if (before === null || known === null) return page;
    return { imports: page.imports, next_before: page.next_before };
  }
  const above = before === null ? [] : known.imports.filter(({ id }) => id >= before);
  const below = known.imports.filter(({ id }) => id < lowest);
  const isFurther = lowest < (known.next_before ?? 0);
  return {
    imports: [...above, ...page.imports, ...below],
    next_before: isFurther ? page.next_before : known.next_before,
  };
}

/** Where the next page begins that holds imports under way, below some id; null for none. */
export function unfinishedBelow({ imports }: Page, id: number): number | null {
  const found = imports.find((one) => one.id < id && one.completed_at === null);
  return found === undefined ? null : found.id + 1;
}
