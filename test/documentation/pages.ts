/** The files of the repository that people read: sources and pages, by their paths. */
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const FOLDERS = '{src,workflows,activities,cli,page,tools,test,bench,docs,deploy}';
const PAGES = ['*.md', `${FOLDERS}/**/*.md`];
const SOURCES = [
  `${FOLDERS}/**/*.{ts,tsx,mjs,sql,yml,yaml}`,
  '*.{ts,mjs,yml,yaml}',
  '.dependency-cruiser.mjs',
  '.env.example',
  'deploy/Dockerfile',
];

export interface Page {
  /** From the root of the repository. */
  path: string;
  text: string;
}

async function read(patterns: string[]): Promise<Page[]> {
  const paths = await Array.fromAsync(glob(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }));
  return Promise.all(paths.sort().map(readPage));
}

export async function readPage(path: string): Promise<Page> {
  return { path, text: await readFile(`${ROOT}/${path}`, 'utf8') };
}

/** Every page in Markdown. */
export const readPages = () => read(PAGES);
/** Every page, and every file with comments. */
export const readEverything = () => read([...PAGES, ...SOURCES]);
