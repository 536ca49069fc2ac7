/** A mutant: the service with one rule changed by hand, and the tests that have to notice it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Mutant {
  /** The rule that no longer holds, in the words of the service. */
  rule: string;
  /** Path below the root of the repository. */
  file: string;
  /** Text that the file holds exactly once. */
  find: string;
  /** The changed text. It type-checks. */
  replace: string;
  /** The test files nearest to the rule. */
  tests: readonly string[];
}

/** The reason why a mutant cannot be made; null if it can. */
export async function staleReason(root: string, { file, find, replace }: Mutant): Promise<string | null> {
  const text = await readFile(join(root, file), 'utf8').catch(() => null);
  if (text === null) return `${file} does not exist`;
  if (find === replace) return 'it changes nothing';
  const times = text.split(find).length - 1;
  return times === 1 ? null : `${file} holds ${JSON.stringify(find)} ${times} times instead of once`;
}

/** Changes the file. @returns changes it back */
export async function mutate(root: string, { file, find, replace }: Mutant): Promise<() => Promise<void>> {
  const path = join(root, file);
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
  return () => writeFile(path, text);
}
