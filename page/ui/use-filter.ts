/** The filter of a screen, in the query of its address: a link keeps it. */
import { useLocation } from 'preact-iso';
import { searchOf } from './format.tsx';

/**
 * @param names of the values
 * @returns the values, empty where the address has none; and a function that changes some of them, in a new entry of the
 * browser's history or in place of the current one
 */
export function useFilter<Name extends string>(...names: Name[]) {
  const { path, query, route } = useLocation();
  const filter = Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<Name, string>;
  const set = (change: Partial<Record<Name, string>>, entry: 'same' | 'new' = 'same') =>
    route(path + searchOf({ ...filter, ...change }), entry === 'same');
  return [filter, set] as const;
}
