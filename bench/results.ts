/**
 * The kept results of a run: counts and ratios, which compare between machines. Times are not kept. The
 * number of cores is the only property of the machine.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Figure, ratiosBetween, ratiosOf, type Spread, valuesOf } from './figure.ts';

const spread = z.object({ min: z.number(), median: z.number(), max: z.number() });

const keptFigure = z.object({
  name: z.string(),
  unit: z.string(),
  rounds: z.int().positive(),
  /** Only counts have a value. */
  value: spread.nullable(),
  /** The ratio to the floor. */
  ratio: spread.nullable(),
  target: z
    .object({ of: z.enum(['ratio', 'value']), atMost: z.number().optional(), atLeast: z.number().optional() })
    .nullable(),
  /** The ratio to another commit, measured in turns with this one. */
  against: z.object({ commit: z.string(), ratio: spread }).nullable(),
});

const results = z.object({
  commit: z.string(),
  committedAt: z.string(),
  measuredAt: z.string(),
  node: z.string(),
  cores: z.int().positive(),
  figures: z.array(keptFigure),
});

export type KeptFigure = z.infer<typeof keptFigure>;
export type Results = z.infer<typeof results>;

const DIGITS = 4;

/** @param other the same figures of another commit, measured in turns with these */
export function keptFigureOf(
  figure: Figure,
  other?: { commit: string; figures: readonly Figure[] },
): KeptFigure {
  const { name, unit, target, rounds, isCount } = figure;
  const between = ratiosBetween(
    figure,
    other?.figures.find((one) => one.name === name),
  );
  return {
    name,
    unit,
    rounds: rounds.length,
    value: isCount ? rounded(valuesOf(figure)) : null,
    ratio: rounded(ratiosOf(figure)),
    target: target ?? null,
    against: other && between ? { commit: other.commit, ratio: rounded(between) ?? between } : null,
  };
}

/** Adds figures to those that the commit has already; a figure of the same name is replaced. */
function mergeResults(before: Results | null, now: Results): Results {
  const measured = new Set(now.figures.map(({ name }) => name));
  const others = before?.figures.filter(({ name }) => !measured.has(name)) ?? [];
  return { ...now, figures: [...others, ...now.figures] };
}

/** Writes `<commit>.json`, merged with earlier results of that commit. @returns its path */
export async function writeResults(directory: string, now: Results): Promise<string> {
  await mkdir(directory, { recursive: true });
  const before = (await readAllResults(directory)).find(({ commit }) => commit === now.commit) ?? null;
  const path = join(directory, `${now.commit}.json`);
  await writeFile(path, `${JSON.stringify(mergeResults(before, now), null, 2)}\n`);
  return path;
}

/** Results of all commits, the oldest commit first. */
export async function readAllResults(directory: string): Promise<Results[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  const all = await Promise.all(
    names.map(async (name) => results.parse(JSON.parse(await readFile(join(directory, name), 'utf8')))),
  );
  return all.sort((a, b) => Date.parse(a.committedAt) - Date.parse(b.committedAt));
}

function rounded(values: Spread | null): Spread | null {
  const short = (value: number) => Number(value.toPrecision(DIGITS));
  return values && { min: short(values.min), median: short(values.median), max: short(values.max) };
}
