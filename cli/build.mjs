/**
 * Builds the command `package-import` and the client library as a package of its own, for Node 20 and newer. Each is one
 * JavaScript file without dependencies: Node does not strip types inside node_modules, and a client needs no Temporal
 * worker. The package also holds types, the API's description, and the licences of the bundled code.
 *
 * `node cli/build.mjs [directory]` writes it, by default to `dist/`; `npm pack ./dist` packs it.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { apiDescription } from '../tools/api-description.ts';
import { writeClientTypes } from './client-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [directory = join(root, 'dist')] = process.argv.slice(2);
const { name, version, license, engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const LIBRARY = 'cli/client/index.ts';
/** Files with the licence texts that packages require to be passed on. */
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

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

// Some of the command's libraries are CommonJS and load Node's modules by `require`.
const COMMAND_BANNER = `#!/usr/bin/env node
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`;

await mkdir(directory, { recursive: true });
const [command, library] = await Promise.all([
  bundle('cli/package-import.ts', `${name}.mjs`, COMMAND_BANNER),
  bundle(LIBRARY, 'client.mjs'),
]);
await rm(join(directory, 'types'), { recursive: true, force: true });
await writeClientTypes(root, LIBRARY, join(directory, 'types'));
await writeJson('openapi.json', apiDescription(version));
const outputs = { ...command.metafile.outputs, ...library.metafile.outputs };
const notices = noticesOf(await bundledPackages(outputs));
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
for (const page of pages) await writeFile(join(directory, 'docs', page), await pageOf(page));
await cp(join(root, 'examples', 'client'), join(directory, 'examples', 'client'), { recursive: true });
const commandLine = await pageOf('command-line.md');
await writeFile(join(directory, 'README.md'), commandLine.replace(/\]\(([\w-]+\.md)/g, '](docs/$1'));

/** A page. Links to pages that are not in the package become their words. */
async function pageOf(name) {
  const text = await readFile(join(root, 'docs', name), 'utf8');
  return text.replace(/\[([^\]]+)\]\(([\w-]+\.md)[^)]*\)/g, (link, words, page) =>
    pages.includes(page) ? link : words,
  );
}

function bundle(entry, file, js = '') {
  return build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: [join(root, entry)],
    outfile: join(directory, file),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js },
    legalComments: 'inline',
    plugins: [versionOnly],
    logLevel: 'warning',
  });
}

function writeJson(file, content) {
  return writeFile(join(directory, file), `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * The packages with code in a bundle, sorted by name.
 *
 * @throws Error for a package that neither names its licence nor has a licence file
 */
async function bundledPackages(outputs) {
  const held = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? packageOf(path) : [])),
  );
  const packages = await Promise.all([...new Set(held)].map((path) => describe(join(root, path))));
  return packages.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version));
}

/** The notices as a text file. */
function noticesOf(packages) {
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${name} ${version}`, `Licence: ${license}`, ...texts.map((text) => `\n${text}`)].join('\n'),
  );
  const preamble = `${name} contains the following packages, each with its licence.`;
  return `${[preamble, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** The directory of the innermost package that a file belongs to; none for the repository's own files. */
function packageOf(path) {
  return path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/)?.[0] ?? [];
}

async function describe(directory) {
  const { name, version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const files = (await readdir(directory)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  if (typeof license !== 'string' && texts.length === 0)
    throw new Error(`${directory.split(sep).join('/')} names no licence`);
  return { name, version, license: license ?? 'see below', texts: texts.map((text) => text.trim()) };
}
