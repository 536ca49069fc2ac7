/** The list of the outcomes of an import: one for each file of its package. */
import { z } from 'zod';
import { OUTCOMES } from '../statuses.ts';
import { eachOf, idParams, nextPlace, pageQuery, reason, searchedText, trueOrFalse } from './common.ts';
import { describe } from './operation.ts';
import { submission } from './submissions.ts';

const outcome = z.enum(OUTCOMES);

const importOutcome = z
  .object({
    id: z.string().meta({
      description: 'Place of the file in the list; it changes with the outcome',
      example: '1-0000000012-s0000000000000042',
    }),
    outcome,
    xml_file: z.string().meta({ description: 'Name of the file in the package' }),
    product_id: z.string().nullable().meta({ description: 'Null if it could not be read' }),
    submission: submission.nullable().meta({ description: 'Null for a file that is not a submission' }),
    reasons: z
      .array(reason)
      .meta({ description: 'Why the product is not with the regulator. Empty if nothing prevented it' }),
  })
  .meta({ id: 'ImportOutcome' });

const outcomeCounts = z
  .object({
    by_outcome: eachOf(OUTCOMES, z.int()),
    warned: z.int().meta({ description: 'Number of products with warnings' }),
    retryable: z.int().meta({ description: 'Number of products whose insert can be retried now' }),
  })
  .meta({
    id: 'OutcomeCounts',
    description: 'Numbers of all files of the import, regardless of the filters; null on further pages',
  });

const outcomePage = z.object({
  outcomes: z.array(importOutcome),
  counts: outcomeCounts.nullable(),
  next_before: nextPlace,
});

const outcomeQuery = z.object({
  outcome: outcome.optional().meta({ description: 'Only files with this outcome' }),
  warned: trueOrFalse.optional().meta({ description: '`true`: only products with warnings' }),
  text: searchedText.optional().meta({
    description:
      'A part of the product ID, of the file name, of the ID of the case, or of a reason, in any case',
  }),
  limit: pageQuery.shape.limit,
  before: z
    .string()
    .regex(/^[0-7]-[0-9]{10}-[fs][0-9]{16}$/, 'must be `next_before` of a page')
    .optional()
    .meta({ description: 'Only files after this place; `next_before` of the previous page' }),
});

export type ImportOutcome = z.infer<typeof importOutcome>;
export type OutcomeCounts = z.infer<typeof outcomeCounts>;
export type OutcomePage = z.infer<typeof outcomePage>;

export const getImportOutcomes = describe('getImportOutcomes', {
  tag: 'Package imports',
  summary: 'List what became of each file of an import, failures first',
  description:
    'Files with the same outcome are in the order of the archive. A file whose outcome changes during the listing may be ' +
    'listed twice, or not at all.',
  params: idParams,
  query: outcomeQuery,
  answers: { 200: { description: 'A page of outcomes', data: outcomePage } },
  errors: { 404: 'The import does not exist, or belongs to another client' },
});
