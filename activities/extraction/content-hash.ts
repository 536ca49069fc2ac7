/** Hashes of product content: identical sections and references give identical hashes. Pure. */
import { hash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';
import { INSERT_STEPS, type InsertStep } from '../../src/contract/steps.ts';
import type { Json, ParsedProduct } from '../../src/domain/product.ts';
import { perStep, SUBMITTER_STEP } from '../../src/domain/steps.ts';

/**
 * One hash per section. It covers the section and the contents of its attachments. The step that sends the submitter
 * also covers the submitter's details.
 */
export function hashSectionContents(
  sectionHashes: Record<InsertStep, string>,
  { attachments }: Pick<ParsedProduct, 'attachments'>,
  known: ReadonlyMap<string, { sha256: string }>,
  submitter: Json,
): Record<InsertStep, string> {
  return perStep((step) => {
    const contents = attachments
      .filter((reference) => reference.step === step)
      .map(({ attachmentId }) => `${attachmentId} ${known.get(attachmentId)?.sha256 ?? 'missing'}`);
    // Sorted keys: the database does not keep the order of JSON keys.
    const details = step === SUBMITTER_STEP ? (stringify(submitter) ?? '') : '';
    return hash('sha256', [sectionHashes[step], ...contents.sort(), details].join(''));
  });
}

/** Hash over the sections, in the order of the steps. */
export function hashContent(sectionContents: Record<InsertStep, string>): string {
  return hash('sha256', INSERT_STEPS.map((step) => sectionContents[step]).join(''));
}
