/** The verdict on a product file: one for every file, and the same for an import and for its dry run. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Known } from '../../../activities/reading/known-records.ts';
import type { ReadProduct } from '../../../activities/reading/product-files.ts';
import { type Judgement, judge } from '../../../activities/reading/verdict.ts';
import { plainReason } from '../../../src/contract/reasons.ts';
import { INSERT_STEPS, type InsertStep } from '../../../src/contract/steps.ts';
import type { LatestSubmission } from '../../../src/database/repositories/product-history.ts';
import { perStep } from '../../../src/domain/steps.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hex = (sections: Record<InsertStep, number>) => perStep((step) => sha256(`${step} ${sections[step]}`));

const PRODUCT_IDS = ['99962-26-00001', '99962-26-00002', '99962-26-00003'];
const ATTACHMENT_IDS = ['238d0f2d-5dd0-4f07-838e-24680cb37d51', '11111111-5dd0-4f07-838e-24680cb37d51'];

const sections = fc.record(perStep(() => fc.nat(1)));
const references = fc.uniqueArray(
  fc.record({
    attachmentId: fc.constantFrom(...ATTACHMENT_IDS),
    step: fc.constantFrom(...INSERT_STEPS),
    path: fc.constant('Product/Design/ProductionFile'),
    line: fc.nat(),
  }),
  { selector: ({ attachmentId, step }) => `${attachmentId} ${step}`, maxLength: 3 },
);

/** A readable product; what of it no verdict looks at is the same for all. */
const readable = fc
  .record({ productId: fc.constantFrom(...PRODUCT_IDS), sections, references, hasSubmitter: fc.boolean() })
  .map(({ productId, sections, references, hasSubmitter }): ReadProduct['result'] => ({
    ok: true,
    sectionHashes: hex(sections),
    product: {
      productId,
      submitterId: hasSubmitter ? '99962' : null,
      productTypeCode: 7,
      productType: 'Refill',
      submissionTypeCode: 1,
      sections: {
        ...perStep(() => null),
        init_validate: { SubmissionType: { value: '1', confidential: false } },
        product_presentation: { Presentations: [] },
      },
      attachments: references,
      warnings: [plainReason('one of the file')],
    },
  }));
const result = fc.oneof(
  { weight: 6, arbitrary: readable },
  fc.constantFrom<ReadProduct['result']>(
    { ok: false, reasons: [plainReason('it is none')], productId: null },
    { ok: false, reasons: [plainReason('it is none')], productId: '99962-26-00001' },
    { ok: 'skip', reasons: [plainReason('Tobacco products are not imported.')] },
  ),
);
const files = fc.array(result, { maxLength: 8 }).map((results) =>
  results.map((result, index): ReadProduct => {
    const name = `${index}.xml`;
    const file = { kind: 'product', index, path: `root/export/${name}`, name, sizeBytes: 1 } as const;
    return { file, gzip: Buffer.from(name), result };
  }),
);

type Attachment = { sha256: string; details: string };
const attachment = (id: string): [string, Attachment] => [id, { sha256: sha256(id), details: 'details' }];
const attachments = fc.subarray(ATTACHMENT_IDS).map((ids) => ids.map(attachment));
/** A change of the content of an attachment, or of its file name, media type or flag. */
const changes = fc.tuple(
  fc.constantFrom(...ATTACHMENT_IDS),
  fc.constantFrom({ sha256: sha256('other') }, { details: 'other' }),
);
const isSubmitterKnown = fc.boolean();

/** @param row of everything that is known; null as in a dry run, for what the package itself brings */
function known(
  some: readonly (readonly [string, Attachment])[],
  isSubmitterKnown: boolean,
  row: number | null,
  latest: [string, LatestSubmission][] = [],
): Known {
  return {
    latest: new Map(latest),
    attachments: new Map(some.map(([id, attachment]) => [id, { id: row, ...attachment }])),
    submitters: new Map(isSubmitterKnown ? [['99962', { id: row, details: { Name: 'Company' } }]] : []),
  };
}

function judgeAll(files: ReadProduct[], known: Known): Judgement[] {
  const seen = new Set<string>();
  return files.map((file) => judge(file, seen, known, { on: '2026-11-22' }));
}

/** The submissions that an import of these files would create, after the regulator's answers. */
function submissionsOf(judgements: Judgement[], status: string): [string, LatestSubmission][] {
  return judgements.flatMap(({ outcome }, submissionId): [string, LatestSubmission][] => {
    if (outcome.outcome !== 'created') return [];
    const { contentHash, sectionHashes, product } = outcome;
    return [
      [
        product.productId,
        {
          submissionId,
          status,
          contentHash,
          sectionHashes,
          caseId: 'C-1',
          mayBePassed: false,
          inserted: null,
        },
      ],
    ];
  });
}

describe('the verdicts on the files of a package', () => {
  it('are one for each file, equal to those that an import records', () => {
    const created = { new: 'created', changed: 'created' };
    const recordedAs = { ...created, unchanged: 'skipped', skipped: 'skipped', refused: 'failed' };
    fc.assert(
      fc.property(files, attachments, isSubmitterKnown, (files, some, isSubmitterKnown) => {
        const judgements = judgeAll(files, known(some, isSubmitterKnown, 1));
        judgements.forEach(({ verdict, outcome, reasons }, index) => {
          expect(outcome).toMatchObject({ entryIndex: index, outcome: recordedAs[verdict] });
          if (outcome.outcome !== 'created') expect(reasons).toEqual(outcome.reasons);
        });
        const createdIds = judgements.flatMap(({ outcome }) =>
          outcome.outcome === 'created' ? outcome.product.productId : [],
        );
        expect(new Set(createdIds).size).toBe(createdIds.length);
        const readable = files.flatMap(({ result }) => (result.ok === true ? result.product.productId : []));
        expect(new Set(createdIds)).toEqual(new Set(readable));
      }),
    );
  });

  it('do not depend on whether the attachments are stored already', () => {
    fc.assert(
      fc.property(files, attachments, isSubmitterKnown, (files, some, isSubmitterKnown) => {
        const shown = (row: number | null) =>
          judgeAll(files, known(some, isSubmitterKnown, row)).map(
            ({ outcome, product, ...shown }) => [shown, product] as const,
          );
        expect(shown(null)).toEqual(shown(1));
      }),
    );
  });

  it('are "unchanged" after everything is inserted', () => {
    fc.assert(
      fc.property(files, attachments, isSubmitterKnown, (files, some, isSubmitterKnown) => {
        const first = judgeAll(files, known(some, isSubmitterKnown, 1));
        const inserted = submissionsOf(first, 'regulator_inserted');
        const again = judgeAll(files, known(some, isSubmitterKnown, 2, inserted));
        expect(again.map(({ verdict }) => verdict)).toEqual(
          first.map(({ verdict }) => (verdict === 'new' ? 'unchanged' : verdict)),
        );
      }),
    );
  });

  it('are "new", with the reason, when the last submission was not inserted', () => {
    fc.assert(
      fc.property(files, attachments, isSubmitterKnown, (files, some, isSubmitterKnown) => {
        const first = judgeAll(files, known(some, isSubmitterKnown, 1));
        const failed = submissionsOf(first, 'regulator_insert_failed');
        const again = judgeAll(files, known(some, isSubmitterKnown, 2, failed));
        again.forEach(({ verdict, changedSections, reasons }, index) => {
          expect(verdict).toBe(first[index]?.verdict);
          expect(changedSections).toEqual([]);
          if (verdict === 'new')
            expect(reasons[0]?.text).toMatch(
              /^The product is unchanged, but .* is regulator_insert_failed\. It is sent again\.$/,
            );
        });
      }),
    );
  });

  it('name the changed sections, also those changed by an attachment, and no others', () => {
    fc.assert(
      fc.property(readable, sections, changes, (result, sections, [changedId, change]) => {
        if (result.ok !== true) return;
        const path = 'root/export/a.xml';
        const file = { kind: 'product', index: 0, path, name: 'a.xml', sizeBytes: 1 } as const;
        const before = ATTACHMENT_IDS.map(attachment);
        const after = before.map(
          ([id, one]) => [id, id === changedId ? { ...one, ...change } : one] as const,
        );
        const first = judgeAll([{ file, gzip: null, result }], known(before, true, 1));
        const sectionHashes = hex(sections);
        const inserted = submissionsOf(first, 'regulator_inserted');
        const [again] = judgeAll(
          [{ file, gzip: null, result: { ...result, sectionHashes } }],
          known(after, true, 2, inserted),
        );
        const expected = INSERT_STEPS.filter(
          (step) =>
            sectionHashes[step] !== result.sectionHashes[step] ||
            result.product.attachments.some((one) => one.step === step && one.attachmentId === changedId),
        );
        expect(again?.changedSections).toEqual(expected);
        expect(again?.verdict).toBe(expected.length > 0 ? 'changed' : 'unchanged');
      }),
    );
  });

  it('warn of each reference to an unknown attachment', () => {
    fc.assert(
      fc.property(readable, attachments, (result, some) => {
        if (result.ok !== true) return;
        const file = { kind: 'product', index: 0, path: 'a.xml', name: 'a.xml', sizeBytes: 1 } as const;
        const [judgement] = judgeAll([{ file, gzip: null, result }], known(some, true, 1));
        const missing = result.product.attachments.filter(
          ({ attachmentId }) => !some.some(([id]) => id === attachmentId),
        );
        expect(judgement?.product?.warnings).toEqual([
          ...result.product.warnings,
          ...missing.map(({ attachmentId, path, line }) =>
            expect.objectContaining({ path, line, text: expect.stringContaining(attachmentId) }),
          ),
        ]);
      }),
    );
  });
});
