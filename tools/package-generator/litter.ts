/** What comes with a package although nobody wants it, and what makes a package unreadable as a whole. */
import { createRandom } from './random.ts';

/** A file that the importer does not read. */
export interface OtherFile {
  kind: 'other';
  path: string;
  content(): Buffer;
}

/** Beginning of an AppleDouble file, which macOS adds for each file of an archive. */
const APPLE_DOUBLE = Buffer.from('00051607000200004d6163204f532058', 'hex');

/** @param paths of the package's files; the first `companions` get a twin under `__MACOSX/` */
export function litterOf(root: string, paths: readonly string[], companions: number): OtherFile[] {
  const twin = (path: string) => {
    const cut = path.lastIndexOf('/') + 1;
    return `${path.slice(0, cut)}._${path.slice(cut)}`;
  };
  const [first] = paths;
  return [
    other('.DS_Store', Buffer.from('0000000142756431', 'hex')),
    other(`${root}/.DS_Store`, Buffer.from('0000000142756431', 'hex')),
    other(`${root}/Thumbs.db`, Buffer.from('d0cf11e0a1b11ae1', 'hex')),
    ...paths.slice(0, companions).map((path) => other(`__MACOSX/${twin(path)}`, APPLE_DOUBLE)),
    ...(first === undefined ? [] : [other(twin(first), APPLE_DOUBLE)]),
  ];
}

/** Directories beside the root, as when two exports are packed together. */
export function secondRoots(root: string, count: number): OtherFile[] {
  return Array.from({ length: count }, (_, index) =>
    other(
      `${root}-${index + 2}/export/attachments/readme.txt`,
      Buffer.from(`Export ${createRandom('second root', index).digits(6)}\n`),
    ),
  );
}

function other(path: string, bytes: Buffer): OtherFile {
  return { kind: 'other', path, content: () => bytes };
}
