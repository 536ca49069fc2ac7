/**
 * The command `package-import` as a package of its own: one JavaScript file without dependencies, for any Node
 * from 20. Node does not strip types inside node_modules, and nobody who uploads packages wants a Temporal
 * worker with it. The licences of what is bundled come with it, as a file of their own.
 *
 * `node tools/build-cli.mjs [directory]` writes it, by default to `dist/`; `npm pack ./dist` packs it.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, noticesOf } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [directory = join(root, 'dist')] = process.argv.slice(2);
const { name, version, license, engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const file = `${name}.mjs`;

/** Of package.json the command needs its version only. */
const versionOnly = {
  name: 'version-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, () => ({
      contents: JSON.stringify({ version }),
      loader: 'json',
    }));
  },
};

await mkdir(directory, { recursive: true });
const { metafile } = await build({
  absWorkingDir: root,
  metafile: true,
  entryPoints: [join(root, 'src', 'bin', 'package-import.ts')],
  outfile: join(directory, file),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Some of the libraries are CommonJS, and ask for Node's modules by `require`.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
  legalComments: 'inline',
  plugins: [versionOnly],
  logLevel: 'warning',
});
const notices = noticesOf(file, await bundledPackages(metafile, root));
await writeFile(join(directory, 'THIRD-PARTY-NOTICES.txt'), notices);
const manifest = {
  name,
  version,
  description: 'Command-line client of the package import service.',
  license,
  type: 'module',
  engines,
  bin: { [name]: file },
};
await writeFile(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
await copyFile(join(root, 'docs', 'command-line.md'), join(directory, 'README.md'));
