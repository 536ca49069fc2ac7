import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MUTANTS, staleReason } from './list.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('every mutant can be made', async () => {
  const reasons = await Promise.all(MUTANTS.map((mutant) => staleReason(ROOT, mutant)));
  expect(reasons.filter((reason) => reason !== null)).toEqual([]);
});
