/** The layout of a package (interface §2.2, package format §1). Pure: maps names to places. */

import { excerpt } from '../common/text.ts';
import { InvalidPackage } from '../domain/client-errors.ts';

/** `other`: XML in no folder of the layout. Its content is not read. */
export type FileKind = 'product' | 'tobacco-product' | 'attachment' | 'submitter' | 'other';

/** The directories under `<root>/export/`, in lower case, and the kind of their XML files. */
const KINDS_BY_FOLDER: ReadonlyMap<string, FileKind> = new Map([
  ['ecigarette-product-submissions', 'product'],
  ['tobacco-product-submissions', 'tobacco-product'],
  ['attachments', 'attachment'],
  ['submitters', 'submitter'],
]);

const EXPORT = 'export';
const ROOTS_SHOWN = 20;
/** Characters of a path in a message. */
const PATH_SHOWN = 200;

/** Files that operating systems add to archives that people re-zip. */
const LITTER =
  /(?:^|\/)(?:\._|(?:__macosx|\.ds_store|thumbs\.db|desktop\.ini|\.spotlight-v100|\.trashes|\.fseventsd)(?:\/|$))/i;

/** An entry name without `./` segments and doubled slashes. Directories end with a slash. */
export function normalizeEntryName(name: string): string {
  const directory = name.endsWith('/');
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.join('/') + (directory && segments.length > 0 ? '/' : '');
}

export function isLitter(name: string): boolean {
  return LITTER.test(name);
}

/**
 * Finds the one root directory.
 *
 * @param names normalized names of all entries
 * @throws InvalidPackage when there is no root, more than one, or no `export` in it
 */
export function findRoot(names: readonly string[]): string {
  const wanted = names.filter((name) => !isLitter(name));
  const roots = [
    ...new Set(wanted.filter((name) => name.includes('/')).map((name) => name.slice(0, name.indexOf('/')))),
  ];
  if (roots.length > 1) {
    const listed = roots
      .sort()
      .slice(0, ROOTS_SHOWN)
      .map((root) => excerpt(root));
    const more = roots.length > ROOTS_SHOWN ? `, … (${roots.length} in all)` : '';
    throw new InvalidPackage(
      `expected a single root directory but found multiple: ${listed.join(', ')}${more}`,
    );
  }
  const [root] = roots;
  if (root === undefined) {
    const found = wanted.length === 0 ? 'the archive is empty' : `found only ${listNames(wanted)}`;
    throw new InvalidPackage(`expected a single root directory but found none (${found})`);
  }
  if (!wanted.some((name) => isInExport(name, root))) {
    const children = wanted.map((name) => name.slice(root.length + 1)).filter((name) => name !== '');
    const found = children.length === 0 ? 'the root directory is empty' : `found ${listNames(children)}`;
    throw new InvalidPackage(
      `expected a directory named "${EXPORT}" in the root directory "${excerpt(root)}" (${found})`,
    );
  }
  return root;
}

/** The kind of the XML file with a normalized name; null for any other file. Folders may be in any case. */
export function classify(name: string, root: string): FileKind | null {
  if (isLitter(name) || !/\.xml$/i.test(name)) return null;
  const [folder = '', ...inside] = name.split('/').slice(2);
  const isInFolder = isInExport(name, root) && inside.length > 0;
  return (isInFolder ? KINDS_BY_FOLDER.get(folder.toLowerCase()) : undefined) ?? 'other';
}

function isInExport(name: string, root: string): boolean {
  const [top, folder, ...inside] = name.split('/');
  return top === root && folder?.toLowerCase() === EXPORT && inside.length > 0;
}

/** Why an XML file of the kind `other` is not read. */
export function misplaced(path: string): string {
  const folders = [...KINDS_BY_FOLDER.keys()].join(', ');
  return `"${excerpt(path, PATH_SHOWN)}" was not read. XML files are read in these folders of "${EXPORT}": ${folders}`;
}

/** The file name in the interface. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function listNames(names: readonly string[]): string {
  const tops = [...new Set(names.map((name) => name.split('/', 1)[0] ?? name))].sort();
  const shown = tops.slice(0, 5).map((name) => `"${excerpt(name)}"`);
  return shown.join(', ') + (tops.length > 5 ? ', …' : '');
}
