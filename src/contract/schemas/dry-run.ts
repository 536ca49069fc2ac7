import { z } from 'zod';
import { VERDICTS } from '../statuses.ts';
import { INSERT_STEPS } from '../steps.ts';
import { eachOf } from './common.ts';
import { importResult } from './package-imports.ts';
import { reason } from './reason.ts';

const verdictCounts = eachOf(VERDICTS, z.int());

const productDiff = z
  .object({
    submission_id: z.int().nullable().meta({
      description: "The product's last inserted submission; null if the package has too many differences",
    }),
    patch: z.string().meta({
      description:
        'A unified diff of each section that differs, one line per field; empty if no section differs',
      example:
        '--- submission-7/design\n+++ package/design\n@@ -1,1 +1,1 @@\n-Design/Description: "A bottle"\n+Design/Description: "A can"\n',
    }),
    left_out: z
      .string()
      .nullable()
      .meta({ description: 'Reason why sections are missing; null if none is missing' }),
  })
  .meta({ id: 'ProductDiff' });

/** One product file of the package. */
const dryRunProduct = z.object({
  xml_file: z.string(),
  product_id: z.string().nullable(),
  product_type: z.string().nullable(),
  outcome: z.enum(VERDICTS).meta({
    description:
      '`new` and `changed` would become submissions; `unchanged` has been inserted with the same content; `skipped` is ' +
      'left out; `refused` cannot be read',
  }),
  changed_sections: z
    .array(z.enum(INSERT_STEPS))
    .meta({ description: "Sections that differ from the product's last submission" }),
  reasons: z.array(reason).meta({
    description: 'Why it would not be sent, or why an unchanged product would be sent again; else empty',
  }),
  warnings: z.array(reason),
  diff: productDiff
    .nullable()
    .optional()
    .meta({
      description:
        'Only with `diff=true`: the difference to the last inserted submission; null if the product would not be sent or ' +
        'was never inserted',
    }),
});

/** The answer to `dry_run=true`. */
export const dryRunResult = z
  .object({
    dry_run: z.literal(true),
    zip_file: importResult.shape.zip_file,
    counts: verdictCounts,
    products: z.array(dryRunProduct),
    warnings: importResult.shape.zip_import.shape.warnings,
  })
  .meta({ id: 'DryRunResult' });

export type ProductDiff = z.infer<typeof productDiff>;
export type DryRunProduct = z.infer<typeof dryRunProduct>;
export type DryRunResult = z.infer<typeof dryRunResult>;
