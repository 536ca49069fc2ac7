/** A product over all imports. */
import { z } from 'zod';
import { INSERT_STEPS } from '../../domain/steps.ts';
import { nextBefore } from './common.ts';
import { submission } from './submission.ts';

const productSubmission = submission
  .extend({
    changed_sections: z.array(z.enum(INSERT_STEPS)).nullable().meta({
      description:
        'What is not as in the submission before it that is to be seen, sections by the steps that send them; null where there is none',
    }),
  })
  .meta({ id: 'ProductSubmission' });

export const product = z.object({
  product_id: z.string(),
  submissions: z.array(productSubmission),
  next_before: nextBefore,
});

export type ProductJson = z.infer<typeof product>;
