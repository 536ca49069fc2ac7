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
