/** The connection to PostgreSQL falls silent under gateway and workers: they close it, and everything continues. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { importsOf } from '../support/imports.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { type SilentLine, startSilentLine } from '../support/silent-line.ts';
import { finished } from '../support/upload.ts';

let line: SilentLine;
let stack: TestStack;
let imports: ReturnType<typeof importsOf>;
beforeAll(async () => {
  stack = await startTestStack({
    change: ({ database }) => ({ database: { ...database, queryMs: 2000 } }),
    async lineTo(url) {
      line = await startSilentLine(url);
      return line.url;
    },
  });
  imports = importsOf(stack);
});
afterAll(async () => {
  await stack?.stop();
  line?.close();
});

it('an import under way is inserted, and new ones are taken', async () => {
  imports.takeRegulatorAway();
  const underWay = await imports.importOne();
  line.fallSilent();
  imports.restoreRegulator();
  await eventually(async () => (await stack.database.imports.find(underWay.importId))?.completedAt);
  expect((await stack.database.submissions.find(underWay.submissionId))?.submission.status).toBe(
    'regulator_inserted',
  );
  expect(imports.casesOf(underWay.productId)).toHaveLength(1);
  expect(line.givenUp()).toBeGreaterThan(0);
  const after = await eventually(() => imports.importOne().catch(() => null));
  expect((await finished(stack, after.importId)).submissions[0]?.status).toBe('regulator_inserted');
});
