/**
 * Reading an attachment file (package format §5): its content is base64 inside one element and may be
 * larger than memory, so it is decoded while it passes.
 */
import type { Readable } from 'node:stream';
import sax from 'sax';
import { UUID_PATTERN } from '../domain/ids.ts';
import { excerpt } from '../domain/text.ts';
import { booleanOf } from './schema/leaves.ts';
import { decoderFor, encodingOf, HEAD_BYTES, type XmlDecoder } from './xml/decode.ts';
import { XmlProblem } from './xml/xml-problem.ts';

export interface AttachmentDetails {
  attachmentId: string;
  action: 'CREATE' | 'UPDATE';
  /** What the file says its name is: for people only, never a path. */
  fileName: string;
  contentType: string;
  confidential: boolean;
}

export interface AttachmentReader {
  /** The decoded content. Fails with XmlProblem when the file is not a readable attachment. */
  content: AsyncGenerator<Buffer>;
  /** To be asked after the content has been read. @throws XmlProblem when something is missing */
  details(): AttachmentDetails;
}

const ROOT = 'Attachment';
const FIELDS = ['AttachmentID', 'Filename', 'ContentType', 'Confidential'] as const;
type Field = (typeof FIELDS)[number];

const MAX_FIELD_LENGTH = 1_000;
const MAX_DEPTH = 16;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function readAttachment(source: Readable): AttachmentReader {
  const parser = new AttachmentParser();
  return { content: parser.parse(source), details: () => parser.details() };
}

class AttachmentParser {
  readonly #sax = sax.parser(true, { position: true });
  readonly #path: string[] = [];
  readonly #fields = new Map<Field, string>();
  readonly #base64 = new Base64Decoder();
  #decoded: Buffer[] = [];
  #action = 'CREATE';
  #sawContent = false;

  constructor() {
    this.#sax.onerror = (error) =>
      this.#refuse(`not well-formed XML: ${excerpt(error.message.split('\n')[0] ?? '', 120)}`);
    this.#sax.ondoctype = () => this.#refuse('a DOCTYPE is not accepted');
    this.#sax.onopentag = (tag) => this.#open(localName(tag.name), tag.attributes as Record<string, string>);
    this.#sax.onclosetag = () => this.#path.pop();
    this.#sax.ontext = (text) => this.#text(text);
    this.#sax.oncdata = (text) => this.#text(text);
  }

  async *parse(source: Readable): AsyncGenerator<Buffer> {
    let decoder: XmlDecoder | undefined;
    for await (const chunk of withWholeHead(source as AsyncIterable<Buffer>)) {
      const { label, offset } = decoder ? { label: '', offset: 0 } : encodingOf(chunk);
      decoder ??= decoderFor(label);
      this.#sax.write(decoder.write(chunk.subarray(offset)));
      yield* this.#take();
    }
    this.#sax.write(decoder?.end() ?? '').close();
    this.#base64.end();
    yield* this.#take();
  }

  details(): AttachmentDetails {
    const missing = FIELDS.filter((name) => !this.#fields.has(name));
    if (!this.#sawContent) missing.push('Content' as Field);
    if (missing.length > 0) throw new XmlProblem(`${ROOT}: missing ${missing.join(', ')}`);
    const of = (name: Field) => this.#fields.get(name)?.trim() ?? '';
    const attachmentId = of('AttachmentID').toLowerCase();
    if (!UUID_PATTERN.test(attachmentId)) {
      throw new XmlProblem(`${ROOT}/AttachmentID "${excerpt(attachmentId)}" is invalid; expected a UUID`);
    }
    const action = this.#action === 'UPDATE' ? 'UPDATE' : 'CREATE';
    return {
      attachmentId,
      action,
      fileName: of('Filename'),
      contentType: of('ContentType') || 'application/octet-stream',
      confidential: booleanOf(of('Confidential')) ?? true,
    };
  }

  #open(name: string, attributes: Record<string, string>): void {
    if (this.#path.length === 0 && name !== ROOT) {
      this.#refuse(`wrong root element "${excerpt(name)}"; expected ${ROOT}`);
    }
    if (this.#path.length >= MAX_DEPTH) this.#refuse('elements are nested too deep');
    if (this.#path.length === 0) this.#action = (attributes.action ?? 'CREATE').trim();
    this.#path.push(name);
    if (this.#path.length === 2 && name === 'Content') this.#sawContent = true;
  }

  #text(text: string): void {
    if (this.#path.length !== 2) return;
    const name = this.#path[1] as Field | 'Content';
    if (name === 'Content') this.#decode(text);
    else if (FIELDS.includes(name)) {
      const value = (this.#fields.get(name) ?? '') + text;
      if (value.length > MAX_FIELD_LENGTH)
        this.#refuse(`${ROOT}/${name} is longer than ${MAX_FIELD_LENGTH} characters`);
      this.#fields.set(name, value);
    }
  }

  #decode(text: string): void {
    const decoded = this.#base64.write(text);
    if (decoded === null) this.#refuse(`${ROOT}/Content is not base64`);
    else if (decoded.length > 0) this.#decoded.push(decoded);
  }

  *#take(): Generator<Buffer> {
    const decoded = this.#decoded;
    this.#decoded = [];
    yield* decoded;
  }

  #refuse(message: string): never {
    throw new XmlProblem(message, { line: this.#sax.line + 1 });
  }
}

/** The encoding is told by the first bytes: they come in one piece, however the source is cut. */
async function* withWholeHead(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of source) {
    if (head === null) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD_BYTES) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}

/** Base64 in pieces, with white space anywhere (RFC 4648 §4, `xs:base64Binary`). */
class Base64Decoder {
  #rest = '';
  #padded = false;

  /** Null when the text cannot be base64. */
  write(text: string): Buffer | null {
    const compact = this.#rest + text.replace(/\s+/g, '');
    if (compact === '') return Buffer.alloc(0);
    if (!BASE64.test(compact) || (this.#padded && compact !== '')) return null;
    const whole = compact.length - (compact.length % 4);
    this.#rest = compact.slice(whole);
    this.#padded = whole > 0 && compact[whole - 1] === '=';
    return Buffer.from(compact.slice(0, whole), 'base64');
  }

  end(): void {
    if (this.#rest !== '') throw new XmlProblem(`${ROOT}/Content ends in the middle of a base64 group`);
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
