/** The floor of reading a package: unzips and parses every file, one after the other, and checks nothing. */
import { text } from 'node:stream/consumers';
import { XMLParser } from 'fast-xml-parser';
import { type Entry, openPromise } from 'yauzl';

/** Returns the product files as text. */
export async function unzipAndParse(path: string): Promise<string[]> {
  const zip = await openPromise(path, { lazyEntries: true });
  const parser = new XMLParser();
  const files: string[] = [];
  for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
    if (!entry.fileName.includes('-product-submissions/') || !entry.fileName.endsWith('.xml')) continue;
    const xml = await text(await zip.openReadStreamPromise(entry));
    parser.parse(xml);
    files.push(xml);
  }
  return files;
}
