/** The licences of the code in a bundle, which have to be distributed with it. */
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Files with the licence texts that packages require to be passed on. */
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * The packages with code in a bundle, sorted by name.
 *
 * @param metafile of esbuild
 * @param root base directory of the metafile's paths
 * @throws Error for a package that neither names its licence nor has a licence file
 */
export async function bundledPackages(metafile, root) {
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? packageOf(path) : [])),
  );
  const packages = await Promise.all([...new Set(held)].map((path) => describe(join(root, path))));
  return packages.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version));
}

/** The notices as a text file. */
export function noticesOf(name, packages) {
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${name} ${version}`, `Licence: ${license}`, ...texts.map((text) => `\n${text}`)].join('\n'),
  );
  const preamble = `${name} contains the following packages, each under the licence that stands with it.`;
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
    throw new Error(`${directory.split(sep).join('/')} says nothing of its licence`);
  return { name, version, license: license ?? 'see below', texts: texts.map((text) => text.trim()) };
}
