/** Gateway and workers with the role of deploy/database-roles.sql: an import, its repair, and the schedules. */
import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, finished } from '../support/upload.ts';

vi.setConfig({ testTimeout: 120_000 });

const PASSWORD = 'role-of-the-tests';
const stack = await startStack({ lineTo: withRuntimeRole });

/** Roles belong to the whole server: this one is named after its database. */
async function withRuntimeRole(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const role = `service_of_${url.pathname.slice(1)}`;
  const script = new URL('../../deploy/database-roles.sql', import.meta.url);
  await runSql(databaseUrl, (await readFile(script, 'utf8')).replaceAll('package_import_service', role));
  await runSql(databaseUrl, `alter role ${role} password '${PASSWORD}'`);
  return Object.assign(url, { username: role, password: PASSWORD }).href;
}

it('an import that fails, its retry, lists and the session need no more rights', async () => {
  const productId = newProductId();
  stack.imports.reject(productId);
  const { importId: id, submissionId } = await stack.imports.importOne({ productId });
  const [failed] = (await finished(stack, id)).submissions;
  expect(failed?.status).toBe('regulator_insert_failed');
  stack.imports.restoreRegulator();
  const retry = `/regulator/package-imports/${id}/actions/regulator-insert`;
  expect((await call(stack, 'POST', retry)).status).toBe(202);
  await stack.imports.reached(submissionId, 'regulator_inserted');
  expect((await call(stack, 'GET', '/regulator/audit-events')).status).toBe(200);
  expect((await call(stack, 'GET', '/regulator/statistics')).status).toBe(200);
  expect((await call(stack, 'DELETE', '/regulator/session')).status).toBe(200);
});

it.each(['package-import-reconcile', 'package-import-retention', 'package-import-statistics'])(
  'the schedule %s needs no more rights',
  async (scheduleId) => {
    const schedule = stack.temporal.schedule.getHandle(scheduleId);
    const { numActionsTaken } = (await schedule.describe()).info;
    await schedule.trigger();
    const last = await vi.waitFor(async () => {
      const { info } = await schedule.describe();
      expect(info.numActionsTaken).toBeGreaterThan(numActionsTaken);
      return info.recentActions.at(-1);
    }, 60_000);
    const { workflowId = '', firstExecutionRunId = '' } = last?.action.workflow ?? {};
    await stack.temporal.workflow.getHandle(workflowId, firstExecutionRunId).result();
  },
);
