/** Substances that e-liquids are made of, with the numbers by which registers know them. */
import { z } from 'zod';
import table from './substances.json' with { type: 'json' };

const role = z.enum(['carrier', 'nicotine', 'flavour', 'cooling', 'acid', 'sweetener', 'other']);

const substance = z.strictObject({
  name: z.string(),
  cas: z.string(),
  ec: z.string().optional(),
  fema: z.string().optional(),
  /** Food additive number. */
  additive: z.string().optional(),
  /** Number in the Union list of flavourings. */
  fl: z.string().optional(),
  /** Its hazard categories under Regulation (EC) No 1272/2008, by element name without the prefix `Clp`. */
  clp: z.record(z.string(), z.string()).optional(),
});

/** Substances with the codes of what they usually do (package format §4), by role. */
const substances = z.record(
  role,
  z.strictObject({ functions: z.array(z.int()), substances: z.array(substance) }),
);

export type SubstanceRole = z.infer<typeof role>;

export type Substance = z.infer<typeof substance> & { role: SubstanceRole; functions: readonly number[] };

/** Role by role: packages of a seed stay the same as long as the order does. */
export const SUBSTANCES: readonly Substance[] = Object.entries(substances.parse(table)).flatMap(
  ([name, { functions, substances }]) =>
    substances.map((substance) => ({ ...substance, role: role.parse(name), functions })),
);
