/** The history of a product over all imports. */
import { z } from 'zod';
import { INSERT_STEPS } from '../steps.ts';
import { nextBefore, pageQuery, productIdText } from './common.ts';
import { describe } from './operation.ts';
import { submission } from './submissions.ts';

const productSubmission = submission
  .extend({
    changed_sections: z.array(z.enum(INSERT_STEPS)).nullable().meta({
      description:
        'Sections that differ from the previous visible submission, named like the steps that send them; null if there is no previous one',
    }),
  })
  .meta({ id: 'ProductSubmission' });

const product = z.object({
  product_id: z.string(),
  submissions: z.array(productSubmission),
  next_before: nextBefore,
});

export type Product = z.infer<typeof product>;
export type ProductSubmission = z.infer<typeof productSubmission>;

export const getProduct = describe('getProduct', {
  tag: 'Submissions',
  summary: 'List the submissions of a product in all imports, newest first',
  params: z.object({ product_id: productIdText }),
  query: pageQuery,
  answers: { 200: { description: 'A page of submissions', data: product } },
  errors: { 404: 'The product has no submissions, or only those of other clients' },
});
