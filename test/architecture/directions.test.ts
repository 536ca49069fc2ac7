/** The check of import directions is itself checked, by files that break the rules. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEPCRUISE = join(ROOT, 'node_modules', '.bin', 'depcruise');
const WRONG = fileURLToPath(new URL('./wrong-imports', import.meta.url));

it('finds every wrong import', async () => {
  const cruise = promisify(execFile)(
    process.execPath,
    [DEPCRUISE, '--config', join(ROOT, '.dependency-cruiser.mjs'), 'src', 'page', 'workflows', 'activities'],
    { cwd: WRONG },
  );
  const { stdout } = await cruise.then(
    () => Promise.reject(new Error('nothing was found')),
    (failure: { stdout: string }) => failure,
  );
  for (const wrong of [
    'code of ^src/gateway/: src/gateway/calls-activities.ts → activities/work.ts',
    'types of ^src/domain/: src/domain/knows-the-gateway.ts → src/gateway/calls-activities.ts',
    'code of ^workflows/: workflows/reads-files.ts → activities/work.ts',
    'workflows are deterministic: workflows/reads-files.ts → fs',
    'nobody imports a program: activities/work.ts → src/processes/start.ts',
    'types of ^page/(?!build\\.ts$|test/): page/knows-a-process.ts → src/processes/start.ts',
    'nobody imports the page: src/gateway/calls-activities.ts → page/knows-a-process.ts',
  ]) {
    expect(stdout).toContain(wrong);
  }
});
