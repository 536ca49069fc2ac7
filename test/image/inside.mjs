// Runs inside an image, read from stdin, as the image's own user: prints as JSON what was found. Plain JavaScript, since it
// comes without a file.
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every path below a directory, links not followed. */
function pathsIn(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? [path, ...pathsIn(path)] : [path];
  });
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return !statSync(path).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Sources that run when they are imported. */
const PROGRAMS = /\/(?:processes\/[^/]+|cli\/package-import|parse-worker)\.ts$/;

const app = pathsIn('/app');
// The page's modules are for browsers.
const unloadable = [];
for (const path of app.filter(
  (one) => /^\/app\/(?:src\/(?!app\/)|activities\/).*\.ts$/.test(one) && !PROGRAMS.test(one),
)) {
  await import(path).catch((error) => unloadable.push(`${path}: ${error.message}`));
}
const found = {
  uid: process.getuid(),
  gid: process.getgid(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  commands: process.env.PATH.split(':').flatMap((directory) => readdirSync(directory)),
  app: app.map((path) => path.slice('/app/'.length)),
  writable: [...app, '/app', '/usr/local/bin', '/etc'].filter(isWritable),
  data: isWritable('/data/archive'),
  unloadable,
};
// Some of what was imported would keep the process.
process.stdout.write(JSON.stringify(found), () => process.exit(0));
