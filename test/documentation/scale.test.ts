/** docs/scale.md is computed from the newest counts of the bench: `npm test -- test/documentation -u` writes it anew. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { COST_FIGURES } from '../../bench/cost-figures.ts';
import { readAllResults } from '../../bench/results.ts';
import { newestCost } from '../../bench/simulation/scale.ts';
import { scalePage } from '../../bench/simulation/scale-page.ts';

const path = (from: string) => fileURLToPath(new URL(`../../${from}`, import.meta.url));

it('says what the newest counts come to', async () => {
  const results = await readAllResults(path('bench/results'));
  const { commit, cost } = newestCost(results);
  const figures = results.find((one) => one.commit === commit)?.figures ?? [];
  const transitions = figures.find(({ name }) => name === COST_FIGURES.insertTransitions);
  const ratio = transitions?.ratio?.median ?? Number.NaN;
  expect(ratio).toBeGreaterThan(0);
  await expect(scalePage({ commit, cost, againstActivities: 1 / ratio })).toMatchFileSnapshot(
    path('docs/scale.md'),
  );
});
