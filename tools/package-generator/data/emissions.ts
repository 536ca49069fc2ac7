/** The emissions of the code list (package format §4), as a laboratory would report them. */
import { z } from 'zod';
import table from './emissions.json' with { type: 'json' };

const emission = z.strictObject({
  code: z.int(),
  cas: z.string().optional(),
  iupac: z.string().optional(),
  unit: z.string(),
  /** Usual order of magnitude of the quantity in that unit, as a power of ten. */
  magnitude: z.int(),
});

const otherEmission = emission.extend({ name: z.string() });

export type EmissionSubstance = z.infer<typeof emission>;

export const EMISSIONS: readonly EmissionSubstance[] = z.array(emission).parse(table.listed);

/** What is reported under code 22 (other), with its name. */
export const OTHER_EMISSIONS: readonly z.infer<typeof otherEmission>[] = z
  .array(otherEmission)
  .parse(table.other);
