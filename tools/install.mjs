/**
 * Installs the dependencies when they are missing or older than the lock file, before every script that
 * needs them. Plain JavaScript, because the Node that runs it may be one that reads no TypeScript: Node 24
 * itself is one of the dependencies.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = join(root, 'package-lock.json');
const stamp = join(root, 'node_modules', '.installed');
const wanted = createHash('sha256').update(readFileSync(lockFile)).digest('hex');

const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (!installed) {
  process.stderr.write('Installing dependencies …\n');
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  const result = spawnSync(command, [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) {
    process.stderr.write('Installing the dependencies failed; see above.\n');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
