/** Pages of a list, put together by what each of them covers; newest first, as the API has it. Pure. */
import type { ImportSummary as Import } from '../../../src/contract/types.ts';

export type { Import };

/** A page of the API. */
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
  const last = page.imports.at(-1);
  const [newest] = known?.imports ?? [];
  // More have come than a page holds, while nobody looked: what lies between is not known.
  const hasGap = before === null && page.next_before !== null && last && newest && isOlder(newest, last);
  if (known === null || hasGap) return page;
  const listed = new Set(page.imports.map(({ id }) => id));
  const above = rowsTo(known.imports, before).filter(({ id }) => !listed.has(id));
  const below = page.next_before === null || !last ? [] : known.imports.filter((one) => isOlder(one, last));
  return {
    imports: [...above, ...page.imports, ...below],
    next_before: below.length === 0 ? page.next_before : known.next_before,
  };
}

/** Not by ids alone: of two uploads at a time the later may have the smaller one. */
function isOlder(one: Import, than: Import): boolean {
  const [a, b] = [one.zip_file.uploaded_at, than.zip_file.uploaded_at];
  return a < b || (a === b && one.id < than.id);
}

/** Those in front of a page. Where it begins behind an import that is not listed, it is behind all of them. */
function rowsTo(imports: readonly Import[], before: number | null): readonly Import[] {
  if (before === null) return [];
  const index = imports.findIndex(({ id }) => id === before);
  return index < 0 ? imports : imports.slice(0, index + 1);
}

/** Place of the first import under way, from a place on; null for none. */
export function unfinishedFrom({ imports }: Page, place: number): number | null {
  const found = imports.findIndex((one, index) => index >= place && one.completed_at === null);
  return found < 0 ? null : found;
}
