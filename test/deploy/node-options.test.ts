/** Our processes are started with the same options everywhere. */
import { expect, it } from 'vitest';
import { NODE_OPTIONS } from '../../src/processes/shared/program.ts';
import { readText } from './support.ts';

const options = NODE_OPTIONS.join(' ');

it.each(['gateway', 'worker'])('npm run %s', async (name) => {
  const { scripts } = JSON.parse(await readText('package.json')) as { scripts: Record<string, string> };
  expect(scripts[name]).toBe(`node ${options} tools/run.mjs src/processes/${name}.ts`);
});

it('the image', async () => {
  expect(await readText('deploy/Dockerfile')).toContain(`NODE_OPTIONS="${options}"`);
});
