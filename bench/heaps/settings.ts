/** The settings that are compared: today's, and one thing at a time that differs from them. */

export interface Setting {
  /** Semi-space of the young generation, in MB (`--max-semi-space-size`), of the worker that inserts … */
  insertYoung: number;
  /** … and of the one that runs imports and reads packages. */
  importYoung: number;
  /** Old generation of both, in MB (`--max-old-space-size`). */
  old: number;
  parserThreads: number;
  /** Connections of each worker to the database (`DATABASE_POOL_SIZE`). */
  poolSize: number;
}

const YOUNG = [2, 8, 16, 32];
const PARSER_THREADS = [1, 2];
const POOL_SIZES = [6, 10, 20];

/** Today's first. */
export function settingsAround(today: Setting): Setting[] {
  const others = (key: keyof Setting, values: readonly number[]) =>
    values.filter((value) => value !== today[key]).map((value) => ({ ...today, [key]: value }));
  return [
    today,
    ...others('insertYoung', YOUNG),
    ...others('importYoung', YOUNG),
    ...others('parserThreads', PARSER_THREADS),
    ...others('poolSize', POOL_SIZES),
  ];
}

/** The value of an option of Node such as `--max-old-space-size=256`. @throws when it is not there */
export function optionOf(options: readonly string[], name: string): number {
  const value = options.find((option) => option.startsWith(`--${name}=`))?.split('=')[1];
  if (value === undefined) throw new Error(`the workers are started without --${name}`);
  return Number(value);
}
