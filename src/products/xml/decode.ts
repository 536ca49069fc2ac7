/** From bytes to text: by byte order mark, then by XML declaration, never by a guess (package format §6). */
import { excerpt } from '../../domain/text.ts';
import { XmlProblem } from './xml-problem.ts';

const DECLARATION_BYTES = 256;

/** Labels that name ISO-8859-1. WHATWG decoders read them as Windows-1252, which is another encoding. */
const LATIN1 = new Set(['iso-8859-1', 'iso_8859-1', 'latin1', 'l1', 'iso8859-1']);

/**
 * @throws XmlProblem when the encoding is not known, or the bytes are not valid in it
 */
export function decodeXml(bytes: Uint8Array): string {
  const { label, offset } = encodingOf(bytes);
  const body = bytes.subarray(offset);
  if (LATIN1.has(label)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(body);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new XmlProblem(`unknown encoding "${excerpt(label)}" in the XML declaration; use UTF-8`);
    }
    throw new XmlProblem(`the bytes are not valid ${label.toUpperCase()}, the encoding that the file claims`);
  }
}

function encodingOf(bytes: Uint8Array): { label: string; offset: number } {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { label: 'utf-8', offset: 3 };
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { label: 'utf-16le', offset: 2 };
  if (a === 0xfe && b === 0xff) return { label: 'utf-16be', offset: 2 };
  if ((a === 0xff && b === 0xfe) || a === 0 || b === 0) {
    throw new XmlProblem('the encoding is neither UTF-8 nor UTF-16 with a byte order mark; use UTF-8');
  }
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const declared = /^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']/.exec(head)?.[1];
  const label = (declared ?? 'utf-8').toLowerCase();
  if (label.startsWith('utf-16') || label.startsWith('ucs-2') || label === 'iso-10646-ucs-2') {
    throw new XmlProblem(
      `the XML declaration says ${label.toUpperCase()} but there is no byte order mark of it; use UTF-8`,
    );
  }
  return { label, offset: 0 };
}
