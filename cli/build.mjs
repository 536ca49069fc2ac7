/**
 * Builds the command `package-import` and the client library as a package of its own, for Node 20 and newer. Each is one
 * JavaScript file without dependencies: Node does not strip types inside node_modules, and a client needs no Temporal
 * worker. The package also holds types, the API's description, and the licences of the bundled code.
 *
 * `node cli/build.mjs [directory]` writes it, by default to `dist/`; `npm pack ./dist` packs it.
 */
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describeApi } from '../tools/api-description.ts';
import { writeClientTypes } from './client-types.mjs';
import { bundledPackages, noticesOf } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [directory = join(root, 'dist')] = process.argv.slice(2);
const { name, version, license, engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const LIBRARY = 'cli/client/index.ts';

/** The command needs only the version from package.json. */
const versionOnly = {
  name: 'version-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, () => ({
      contents: JSON.stringify({ version }),
      loader: 'json',
    }));
  },
};

// Some of the libraries are CommonJS and load Node's modules by `require`.
const REQUIRE =
  "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

await mkdir(directory, { recursive: true });
const [command, library] = await Promise.all([
  bundle('cli/package-import.ts', `${name}.mjs`, `#!/usr/bin/env node\n${REQUIRE}`),
  bundle(LIBRARY, 'client.mjs', REQUIRE),
]);
await rm(join(directory, 'types'), { recursive: true, force: true });
await writeClientTypes(root, LIBRARY, join(directory, 'types'));
await writeJson('openapi.json', await describeApi(version));
const outputs = { ...command.metafile.outputs, ...library.metafile.outputs };
const notices = noticesOf(name, await bundledPackages({ outputs }, root));
await writeFile(join(directory, 'THIRD-PARTY-NOTICES.txt'), notices);
await writeJson('package.json', {
  name,
  version,
  description: 'Command line and client library of the package import service.',
  license,
  type: 'module',
  engines,
  bin: { [name]: `${name}.mjs` },
  exports: {
    '.': { types: `./types/${LIBRARY.replace(/\.ts$/, '.d.ts')}`, default: './client.mjs' },
    './openapi.json': './openapi.json',
    './package.json': './package.json',
  },
});
const pages = ['command-line.md', 'client-library.md', 'error-codes.md'];
await mkdir(join(directory, 'docs'), { recursive: true });
for (const page of pages) await copyFile(join(root, 'docs', page), join(directory, 'docs', page));
await cp(join(root, 'examples', 'client'), join(directory, 'examples', 'client'), { recursive: true });
const commandLine = await readFile(join(root, 'docs', 'command-line.md'), 'utf8');
await writeFile(join(directory, 'README.md'), commandLine.replace(/\]\(([\w-]+\.md)/g, '](docs/$1'));

function bundle(entry, file, banner) {
  return build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: [join(root, entry)],
    outfile: join(directory, file),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: banner },
    legalComments: 'inline',
    plugins: [versionOnly],
    logLevel: 'warning',
  });
}

function writeJson(file, content) {
  return writeFile(join(directory, file), `${JSON.stringify(content, null, 2)}\n`);
}
