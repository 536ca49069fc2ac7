/**
 * Installs the dependencies when they are missing or older than the lock file. Plain JavaScript for any Node from 20:
 * Node 24, which reads TypeScript, is one of the dependencies.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param root of the project
 * @returns whether there was anything to install
 * @throws Error when it did not succeed; npm has said why
 */
export function installDependencies(root) {
  const stamp = join(root, 'node_modules', '.installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false;

  process.stderr.write('Installing dependencies …\n');
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  const [command, ...first] = npm ? [node, npm] : ['npm'];
  // Where NODE_ENV is production, npm would leave out what the scripts run on.
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(command, [...first, ...options], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Installing the dependencies failed; see above.');
  writeFileSync(stamp, wanted);
  return true;
}
