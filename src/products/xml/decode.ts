/**
 * Decodes bytes to text by byte order mark, then by XML declaration, never by a guess (package format §6), and the
 * references in text: numeric character references and XML's five entities (XML §4.1, §4.6).
 */
import { TextDecoder } from 'node:util';
import { excerpt, messageOf } from '../../common/text.ts';
import { plainReason, reasonText } from '../../contract/reasons.ts';
import type { Reason } from '../../contract/types.ts';

/** The file is not XML that the service reads. */
export class XmlProblem extends Error {
  readonly reason: Reason;

  /** @param line null if it is not known */
  constructor(text: string, line: number | null = null) {
    const reason = { ...plainReason(text), line };
    super(reasonText(reason));
    this.reason = reason;
  }

  /** The same problem in another line. */
  at(line: number): XmlProblem {
    return new (this.constructor as typeof XmlProblem)(this.reason.text, line);
  }
}

/** The file does not have the structure that the Commission's schema requires. Its gateway would report that, too. */
export class StructureProblem extends XmlProblem {}

/**
 * The problem of a file that ended its reader. Readers depend on nothing but the file, so every attempt would end with
 * the same error (decision §timeouts-and-retries).
 */
export function xmlProblemOf(error: unknown): XmlProblem {
  if (error instanceof XmlProblem) return error;
  return new XmlProblem(`reading the file failed unexpectedly (${excerpt(messageOf(error), 120)})`);
}

/** Number of bytes in which the encoding is searched. */
const HEAD_BYTES = 256;

/** WHATWG decoders read US-ASCII and ISO-8859-1 as Windows-1252, and ISO-8859-9 as Windows-1254. */
const CODE_PAGE = /125[24]$/;
const ASCII = /ascii|^ansi_x3/;
/** The letters of ISO-8859-9 in the places of those of ISO-8859-1. */
const LATIN5: Readonly<Record<string, string>> = { Ð: 'Ğ', Ý: 'İ', Þ: 'Ş', ð: 'ğ', ý: 'ı', þ: 'ş' };

/** @throws XmlProblem when the encoding is not known, or the bytes are not valid in it */
export function decodeXml(bytes: Uint8Array): string {
  const decoder = new XmlDecoder();
  return decoder.write(bytes) + decoder.end();
}

/** Decodes in pieces. The first bytes determine the encoding. */
export class XmlDecoder {
  #head: Uint8Array = new Uint8Array();
  #decode: Decode | undefined;

  /** @throws XmlProblem like `decodeXml` */
  write(bytes: Uint8Array): string {
    if (this.#decode) return this.#decode(bytes);
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    return this.#head.length < HEAD_BYTES ? '' : this.#begin();
  }

  end(): string {
    const text = this.#decode ? '' : this.#begin();
    return text + (this.#decode?.() ?? '');
  }

  #begin(): string {
    const { label, offset } = encodingOf(this.#head);
    this.#decode = decoderFor(label);
    return this.#decode(this.#head.subarray(offset));
  }
}

/** Without bytes: at the end. @throws XmlProblem when the bytes are not valid in the encoding */
type Decode = (bytes?: Uint8Array) => string;

/** @throws XmlProblem when there is no such encoding */
function decoderFor(label: string): Decode {
  const decoder = createTextDecoder(label);
  if (CODE_PAGE.test(decoder.encoding) && !CODE_PAGE.test(label)) return isoDecoder(label, decoder.encoding);
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw invalid(label);
    }
  };
}

/** Decodes US-ASCII, ISO-8859-1 or ISO-8859-9. */
function isoDecoder(label: string, codePage: string): Decode {
  const isAscii = ASCII.test(label);
  const isLatin5 = codePage === 'windows-1254';
  return (bytes = new Uint8Array()) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    if (isAscii && /[\x80-\xff]/.test(text)) throw invalid(label);
    return isLatin5 ? text.replace(/[ÐÝÞðýþ]/g, (letter) => LATIN5[letter] ?? letter) : text;
  };
}

function invalid(label: string): XmlProblem {
  const encoding = label.toUpperCase();
  return new XmlProblem(
    `the encoding of the file is ${encoding}, but some of its bytes are not valid ${encoding}`,
  );
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
function encodingOf(bytes: Uint8Array): { label: string; offset: number } {
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
      `the XML declaration says ${label.toUpperCase()}, but the file has no byte order mark; use UTF-8`,
    );
  }
  return { label, offset: 0 };
}

const PREDEFINED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['apos', "'"],
  ['quot', '"'],
]);

const REFERENCE = /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([a-z]+));/g;
const LAST_CODE_POINT = 0x10ffff;

/** The text with its references resolved. Any other text stays unchanged. */
export function resolveReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, hexadecimal?: string, decimal?: string, name = '') => {
    if (hexadecimal === undefined && decimal === undefined) return PREDEFINED.get(name) ?? whole;
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}
