import { z } from 'zod';

/** Why a file or a product failed, or what a warning is about. */
export const reason = z
  .object({
    path: z.string().nullable().meta({
      description:
        'The element of the product file, from below the root, items numbered among those of their name; null for none',
      example: 'Product/Presentations/Presentation[2]/LaunchDate',
    }),
    line: z.int().nullable().meta({ description: 'Line in the file, from 1; null if it is not known' }),
    check: z
      .string()
      .nullable()
      .meta({ description: 'Name of the product check that found it; null for none. Checks may be added' }),
    text: z
      .string()
      .meta({ description: 'The problem. It names its subject, and the value unless that is confidential' }),
  })
  .meta({ id: 'Reason' });

export type Reason = z.infer<typeof reason>;
