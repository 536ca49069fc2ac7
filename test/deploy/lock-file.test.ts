/** The lock file pins contents, not only versions, and works with whatever registry or mirror npm is told. */
import { expect, it } from 'vitest';
import { readText } from './support.ts';

interface Locked {
  integrity?: string;
  resolved?: string;
  /** A workspace: ours. */
  link?: boolean;
}

it('the lock file has the digest of every package, and no address', async () => {
  const { packages } = JSON.parse(await readText('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  const locked = Object.entries(packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && !link,
  );
  expect(locked.length).toBeGreaterThan(100);
  expect(
    locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
  ).toEqual([]);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
