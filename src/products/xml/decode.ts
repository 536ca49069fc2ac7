/** Decodes bytes to text by byte order mark, then by XML declaration, never by a guess (package format §6). */
import { TextDecoder } from 'node:util';
import { excerpt } from '../../common/text.ts';
import { XmlProblem } from './xml-problem.ts';

/** Number of bytes in which the encoding is searched. */
export const HEAD_BYTES = 256;

/** Labels of ISO-8859-1. WHATWG decoders read them as Windows-1252, which is another encoding. */
const LATIN1 = new Set(['iso-8859-1', 'iso_8859-1', 'latin1', 'l1', 'iso8859-1']);

/**
 * @throws XmlProblem when the encoding is not known, or the bytes are not valid in it
 */
export function decodeXml(bytes: Uint8Array): string {
  const { label, offset } = encodingOf(bytes);
  const decoder = decoderFor(label);
  return decoder.write(bytes.subarray(offset)) + decoder.end();
}

/** Decodes in pieces. */
export interface XmlDecoder {
  /** @throws XmlProblem when the bytes are not valid in the encoding */
  write(bytes: Uint8Array): string;
  end(): string;
}

/** @throws XmlProblem when there is no such encoding */
export function decoderFor(label: string): XmlDecoder {
  if (LATIN1.has(label)) {
    return {
      write: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'),
      end: () => '',
    };
  }
  const decoder = createTextDecoder(label);
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new XmlProblem(
        `the bytes are not valid ${label.toUpperCase()}, the encoding that the file claims`,
      );
    }
  };
  return { write: decode, end: () => decode() };
}

function createTextDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true });
  } catch {
    throw new XmlProblem(`unknown encoding "${excerpt(label)}" in the XML declaration; use UTF-8`);
  }
}

/**
 * The encoding that the first bytes of a file declare, and the length of the byte order mark.
 *
 * @throws XmlProblem when they declare no supported encoding
 */
export function encodingOf(bytes: Uint8Array): { label: string; offset: number } {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { label: 'utf-8', offset: 3 };
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { label: 'utf-16le', offset: 2 };
  if (a === 0xfe && b === 0xff) return { label: 'utf-16be', offset: 2 };
  if ((a === 0xff && b === 0xfe) || a === 0 || b === 0) {
    throw new XmlProblem('the encoding is neither UTF-8 nor UTF-16 with a byte order mark; use UTF-8');
  }
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const declared = /^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']/.exec(head)?.[1];
  const label = (declared ?? 'utf-8').toLowerCase();
  if (label.startsWith('utf-16') || label.startsWith('ucs-2') || label === 'iso-10646-ucs-2') {
    throw new XmlProblem(
      `the XML declaration says ${label.toUpperCase()} but there is no byte order mark of it; use UTF-8`,
    );
  }
  return { label, offset: 0 };
}
