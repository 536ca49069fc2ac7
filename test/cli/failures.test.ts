/** `failures`: groups, a preview, and a run that is followed. */
import { expect, it } from 'vitest';
import { connectionTo, run } from '../support/command.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished } from '../support/upload.ts';

const stack = await startStack();
const { imports } = stack;
const failures = (...args: string[]) => run(['failures', ...args, ...connectionTo(stack)]);

async function failing(step: 'design' | 'init_validate'): Promise<string> {
  const productId = newProductId();
  imports.reject(productId, step);
  await finished(stack, (await imports.importOne({ productId })).importId);
  imports.restoreRegulator();
  return productId;
}

it('shows groups, previews a run, starts it with --yes and follows it', async () => {
  expect((await failures()).stdout).toContain('Failures: 0 products in 0 imports.');
  expect((await failures('stop')).stdout).toBe('No run is under way.\n');
  const design = await failing('design');
  await failing('init_validate');
  const { code, stdout } = await failures();
  expect(stdout).toMatch(
    new RegExp(`│ regulator_rejected +│ design +│ 1 +│ 1 +│ \\S+ +│ ${design} of import`),
  );
  expect(stdout).toContain('2 products in 2 imports');
  expect(code).toBe(0);
  const filter = ['--reason', 'regulator_rejected', '--step', 'design', '--submitter', '99962'];
  const preview = await failures('retry', ...filter, '--since', '2026-01-01');
  expect(preview.stdout).toMatch(
    /\n1 product in 1 import\.\nThis is a preview. Start the run with: the same command with --yes\n$/,
  );
  expect((await failures('--step', 'design', '--json')).stdout).toContain('"products": 1');
  expect((await failures('--reason', 'bad_luck')).code).toBe(2);
  const retried = await failures('retry', ...filter, '--yes');
  expect(retried.stderr).toContain('Stop it with: package-import failures stop');
  expect(retried).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'The run is completed. Queued again: 1 product in 1 import.\nSee what fails again with: package-import failures\n',
    ),
  });
  expect((await failures('cancel', '--yes')).stdout).toMatch(/\n0 products in 0 imports\.\n$/);
  expect((await failures('stop')).stdout).toBe('No run is under way. The last one has ended.\n');
  expect((await failures('--of-client', 'nobody')).stdout).toContain('0 products');
});
