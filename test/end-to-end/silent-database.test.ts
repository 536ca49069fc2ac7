/** The connection to PostgreSQL falls silent under gateway and workers: they close it, and everything continues. */
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startStack } from '../support/starters/stack.ts';
import { startTcpProxy, type TcpProxy, urlThrough } from '../support/tcp-proxy.ts';
import { finished } from '../support/upload.ts';

let line: TcpProxy;
const stack = await startStack({
  change: ({ database }) => ({ database: { ...database, queryMs: 2000 } }),
  async lineTo(url) {
    line = await startTcpProxy([Number(new URL(url).port)]);
    return urlThrough(line, url);
  },
});
const { imports } = stack;

it('a running import is inserted, and new ones are accepted, after a silence of the database', async () => {
  imports.takeRegulatorAway();
  const underWay = await imports.importOne();
  line.forget();
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
