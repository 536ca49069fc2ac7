/** Runs test files of a directory again and again, in one Vitest that starts PostgreSQL and Temporal once. */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createVitest, type Reporter } from 'vitest/node';

export interface TestRunner {
  /**
   * Runs test files. Returns the titles of what failed.
   *
   * @param upTo how far it continues when a test has failed
   */
  run(tests: readonly string[], upTo: 'the first failure' | 'the end'): Promise<string[]>;
  /** Makes the next run read a file again. Without that it runs the text of an earlier run. */
  forget(file: string): void;
  close(): Promise<void>;
}

/** @param root becomes the working directory of this process, as the tests expect */
export async function startTestRunner(root: string): Promise<TestRunner> {
  process.chdir(root);
  const failures: string[] = [];
  let goesOn = false;
  const note = (failure: string) => {
    failures.push(failure);
    if (!goesOn) void vitest.cancelCurrentRun('test-failure');
  };
  const reporter: Reporter = {
    onTestCaseResult(test) {
      if (test.result().state === 'failed') note(test.fullName);
    },
    onTestModuleEnd(module) {
      // A file that cannot be loaded, or whose hooks fail, has no failed test.
      const hasFailedTest = [...module.children.allTests('failed')].length > 0;
      if (!module.ok() && !hasFailedTest) note(`${module.relativeModuleId} as a whole`);
    },
    onTestRunEnd(_modules, errors) {
      for (const { message } of errors) failures.push(`error outside of a test: ${message}`);
    },
  };
  const options = { root, watch: false, cache: false as const, silent: true, reporters: [reporter] };
  const vitest = await createVitest(options, {}, { stdout: nowhere(), stderr: nowhere() });
  await vitest.standalone();
  return {
    forget: (file) => vitest.invalidateFile(join(root, file)),
    async run(tests, upTo) {
      failures.length = 0;
      goesOn = upTo === 'the end';
      const specifications = await vitest.globTestSpecifications([...tests]);
      const found = new Set(specifications.map(({ moduleId }) => moduleId));
      const missing = tests.filter((test) => !found.has(join(root, test)));
      if (missing.length > 0) throw new Error(`There is no test ${missing.join(', ')}`);
      await vitest.runTestSpecifications(specifications);
      return [...failures];
    },
    close: () => vitest.close(),
  };
}

/** Takes what the tested code writes: a mutant's log is no result. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
