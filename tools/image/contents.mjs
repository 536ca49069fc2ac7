// Runs inside an image, read from stdin: prints the installed packages as JSON. Plain JavaScript, since a
// program on stdin has no file name.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** `name@version` of each package below a directory `node_modules`, those of packages included. */
function packagesIn(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name.startsWith('.')) return [];
    const path = `${directory}/${entry.name}`;
    if (entry.name.startsWith('@')) return packagesIn(path);
    const { name, version } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
    const own = readdirSync(path).includes('node_modules') ? packagesIn(`${path}/node_modules`) : [];
    return [`${name}@${version}`, ...own];
  });
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own form.
const format = '${Package}\t${Version}\t${Architecture}\n';
const debian = execFileSync('dpkg-query', ['--show', '--showformat', format], { encoding: 'utf8' });
const release = Object.fromEntries(
  [...readFileSync('/etc/os-release', 'utf8').matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);
const contents = {
  node: process.versions.node,
  release: { id: release.ID, version: release.VERSION_ID },
  npm: packagesIn('/app/node_modules'),
  debian: debian
    .trim()
    .split('\n')
    .map((line) => line.split('\t')),
};
process.stdout.write(JSON.stringify(contents));
