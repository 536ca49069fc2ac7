/**
 * Installs the dependencies when they are missing or older than the lock file. Plain JavaScript for any Node
 * from 20: tools/run.mjs fetches the Node that reads TypeScript afterwards. Install scripts run only for the
 * dependencies that `allowScripts` of package.json names with `true`. `.npmrc` tells npm to run no scripts;
 * this program runs the allowed ones by name. npm itself only warns by `allowScripts`, in versions that know
 * the field.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param root of the project
 * @returns whether there was anything to install
 * @throws Error when npm fails; npm has printed the reason
 */
export function installDependencies(root) {
  const stamp = join(root, 'node_modules', '.installed');
  const { allowScripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(JSON.stringify(allowScripts))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false;

  process.stderr.write('Installing dependencies …\n');
  // With NODE_ENV=production, npm would leave out the dependencies of the scripts.
  npm(root, ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']);
  const scripted = Object.keys(allowScripts).filter(
    (name) => allowScripts[name] === true && existsSync(join(root, 'node_modules', name)),
  );
  // Without names, npm would run the scripts of all packages.
  if (scripted.length > 0) npm(root, ['rebuild', '--ignore-scripts=false', ...scripted]);
  writeFileSync(stamp, wanted);
  return true;
}

function npm(root, args) {
  const { npm_execpath: path, npm_node_execpath: node = process.execPath } = process.env;
  const [command, ...first] = path ? [node, path] : ['npm'];
  const { status, signal, error } = spawnSync(command, [...first, ...args, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return;
  const how = error?.message ?? signal ?? `exit code ${status}`;
  throw new Error(
    `The installation of the dependencies failed: npm ${args[0]}, ${how}. See the output above.`,
  );
}
