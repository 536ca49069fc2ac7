/** The files of the repository that people read, and the headings of a page. */
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

/** Headings of a Markdown page, as links and citations name them. */

const HEADING = /^#{1,6} +(.+?) *$/;
const NUMBERED = /^(\d+(?:\.\d+)*)\.? /;

/** The anchor of every heading as GitHub makes it, and the number of every numbered one. Code blocks have no headings. */
export function anchorsOf(page: string): string[] {
  let inCode = false;
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('```')) inCode = !inCode;
    const title = inCode ? undefined : HEADING.exec(line)?.[1];
    if (title === undefined) return [];
    const number = NUMBERED.exec(title)?.[1];
    return [slugOf(title), ...(number === undefined ? [] : [number])];
  });
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
