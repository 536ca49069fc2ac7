/**
 * Cleanup of everything that tests and scripts start. A registered end runs after the test that registered it, or after
 * the test file if no test was running (`setup.ts`), or at the end of `inScope`. So no test stops what it has started.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type End = () => unknown;

const scope = new AsyncLocalStorage<End[]>();
/** Ends of the whole file or script. */
const outermost: End[] = [];
const resets: End[] = [];

export function atEnd(end: End): void {
  (scope.getStore() ?? outermost).push(end);
}

/** Closes a started part at the end, unless the test closes it before. */
export async function closing<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const part = await starting;
  const close = part.close.bind(part);
  let closed: Promise<void> | null = null;
  part.close = () => {
    closed ??= close();
    return closed;
  };
  atEnd(() => part.close());
  return part;
}

/** Runs work, and then the ends that it has registered. */
export async function inScope<T>(work: () => Promise<T>): Promise<T> {
  const ends: End[] = [];
  try {
    return await scope.run(ends, work);
  } finally {
    await runAll(ends);
  }
}

/** Registers a function that runs after every test of the file, before the ends of the test. */
export function afterEveryTest(reset: End): void {
  resets.push(reset);
}

/** Runs one test with its resets and ends. */
export function aroundTest(runTest: () => Promise<void>): Promise<void> {
  return inScope(() => runTest().finally(() => runAll(resets)));
}

/** Runs the ends of the whole file or script. */
export async function endAll(): Promise<void> {
  resets.length = 0;
  await runAll(outermost.splice(0));
}

/** Runs the last one first. @throws the first error, after all have run */
async function runAll(ends: readonly End[]): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends.toReversed()) {
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
