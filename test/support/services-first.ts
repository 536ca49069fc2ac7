/** The order of test files. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Most of these files take longer than all others. */
const LONG = /\/test\/(chaos|end-to-end|page|temporal)\/|\/(regulator-limits|stalled-readers)\./;

/** Runs the files that start a whole service first. So the processors are busy to the end of the run. */
export class ServicesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
