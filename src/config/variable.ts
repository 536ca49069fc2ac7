/** Environment variables as tables: each has its name, kind, default and description in one place. */
import type { z } from 'zod';

export interface Variable<Value> {
  name: string;
  kind: z.ZodType<Value>;
  /** Default as text, before parsing. Null if the value of an unset variable is undefined. */
  default: string | null;
  about: string;
}

export interface Group {
  title: string;
  /** Description that applies to all of its variables. */
  about?: string;
  variables: Readonly<Record<string, Variable<unknown>>>;
}

/** The values of a group, by the keys of `variables`. */
export type ValuesOf<G extends Group> = {
  [Key in keyof G['variables']]: G['variables'][Key] extends Variable<infer Value> ? Value : never;
};

/** The values of several groups, by the names of the groups. */
export type ValuesOfGroups<Groups extends Readonly<Record<string, Group>>> = {
  [Name in keyof Groups]: ValuesOf<Groups[Name]>;
};

/** A variable with a default. */
export function variable<Kind extends z.ZodType>(
  name: string,
  kind: Kind,
  ifNotSet: string,
  about: string,
): Variable<z.output<Kind>> {
  return { name, kind: kind as z.ZodType<z.output<Kind>>, default: ifNotSet, about };
}

/** A variable without a default. Its description says what happens if it is not set. */
export function optional<Kind extends z.ZodType>(
  name: string,
  kind: Kind,
  about: string,
): Variable<z.output<Kind> | undefined> {
  return { name, kind: kind as z.ZodType<z.output<Kind>>, default: null, about };
}

/** The message names each variable at fault, on a line of its own. */
export class InvalidConfiguration extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is invalid.\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/** The variables that are set. An empty value counts as not set. */
export function variablesSetIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );
}

/** @throws InvalidConfiguration that names every variable at fault */
export function readGroups<Groups extends Readonly<Record<string, Group>>>(
  groups: Groups,
  set: Readonly<Record<string, string>>,
): ValuesOfGroups<Groups> {
  const faults: string[] = [];
  const read = ({ name, kind, default: ifNotSet }: Variable<unknown>) => {
    const text = set[name] ?? ifNotSet;
    if (text === null) return undefined;
    const parsed = kind.safeParse(text);
    if (!parsed.success)
      faults.push(`${name}: ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
    return parsed.data;
  };
  const values = mapValues(groups, ({ variables }) => mapValues(variables, read));
  if (faults.length > 0) throw new InvalidConfiguration(faults);
  return values as ValuesOfGroups<Groups>;
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
