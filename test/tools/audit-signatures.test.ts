/** `npm run prove -- signatures` tells "nothing wrong", "something wrong" and "could not look" apart. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary.ts';

const PROGRAM = fileURLToPath(new URL('../../tools/audit-signatures.ts', import.meta.url));

/** With an npm that says so and ends so. */
async function audit(says: string, endsWith: number): Promise<{ code: number; said: string }> {
  const npm = join(await temporaryDirectory(), 'npm.cjs');
  const asked = `if (process.argv.slice(2, 4).join(' ') !== 'audit signatures') process.exit(99);`;
  await writeFile(npm, `${asked}\nconsole.error(${JSON.stringify(says)}); process.exitCode = ${endsWith};`);
  const env = { ...process.env, npm_execpath: npm, npm_node_execpath: process.execPath };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM], { env }, (_error, _stdout, said) =>
      resolve({ code: child.exitCode ?? -1, said }),
    );
  });
}

it.each([
  ['audited 400 packages in 3s\n\n400 packages have verified registry signatures', 0, 0],
  ['1 package has an invalid registry signature:\n\nleft-pad@1.0.0', 1, 1],
  ['2 packages have missing registry signatures but the registry is providing signing keys', 1, 1],
  ['npm error code ENOTFOUND\nnpm error network request to https://keys.example failed', 1, 2],
  ['npm error found no dependencies to audit that were installed from a supported registry', 1, 2],
])('%j, ended with %i, is %i', async (says, endsWith, expected) => {
  const { code, said } = await audit(says, endsWith);
  expect(code).toBe(expected);
  expect(said.includes('NOT checked')).toBe(expected === 2);
});
