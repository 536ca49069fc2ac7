import { z } from 'zod';
import { VERDICTS } from '../../domain/package-check.ts';
import { INSERT_STEPS } from '../../domain/steps.ts';
import { importResult } from './package-import.ts';

const verdictCounts = z.object(
  Object.fromEntries(VERDICTS.map((verdict) => [verdict, z.int()])) as Record<
    (typeof VERDICTS)[number],
    z.ZodInt
  >,
);

/** What `dry_run=true` is answered with, in place of an import. */
export const dryRunResult = z
  .object({
    dry_run: z.literal(true),
    zip_file: importResult.shape.zip_file,
    counts: verdictCounts,
    products: z.array(
      z.object({
        xml_file: z.string(),
        product_id: z.string().nullable(),
        product_type: z.string().nullable(),
        outcome: z.enum(VERDICTS).meta({
          description:
            '`new` and `changed` would become submissions; `unchanged` was inserted as it is; `skipped` is left ' +
            'out; `refused` cannot be read',
        }),
        changed_sections: z
          .array(z.enum(INSERT_STEPS))
          .meta({ description: "Sections that differ from the product's last submission" }),
        reason: z.string().nullable(),
        warnings: z.array(z.string()),
      }),
    ),
    warnings: importResult.shape.zip_import.shape.warnings,
  })
  .meta({ id: 'DryRunResult' });

export type DryRunResultJson = z.infer<typeof dryRunResult>;
