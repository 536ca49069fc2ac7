/**
 * Parses the XML of an attachment file in pieces. The content is decoded while it streams. Plain text, which is nearly
 * all of it, bypasses the XML parser, because that reads character by character.
 */
import sax from 'sax';
import { excerpt } from '../common/text.ts';
import { resolveReferences, StructureProblem, XmlProblem } from './xml/decode.ts';
import { localName } from './xml/gate.ts';

export const ROOT = 'Attachment';
const CONTENT = 'Content';
const FIELDS = ['AttachmentID', 'Filename', 'ContentType', 'Confidential'] as const;
type Field = (typeof FIELDS)[number];

const MAX_FIELD_LENGTH = 1_000;
const MAX_DEPTH = 16;
/** Maximum characters beside the content: four short fields and their tags. More than twice the size of a step. */
const MAX_MARKUP_LENGTH = 256 * 1024;
/** Maximum text that the XML parser gets at once, and that it keeps of a CDATA section. */
const STEP = 64 * 1024;
/** Characters that XML forbids (§2.2), and that no database can store. */
const NO_XML_CHARACTER = /[^\P{Cc}\t\n\r\x7f-\x9f]|[\ufffe\uffff]|\p{Cs}/u;
/** Length of the longest character reference, e.g. `&#x0000000d;`, with a margin. */
const MAX_REFERENCE_LENGTH = 16;

export class AttachmentParser {
  readonly fields: Record<Field, string> = {
    AttachmentID: '',
    Filename: '',
    ContentType: '',
    Confidential: '',
  };
  // Restricts the parser to XML's five entities. Its types do not declare that option.
  readonly #sax = sax.parser(true, { position: true, strictEntities: true } as sax.SAXOptions);
  readonly #path: string[] = [];
  readonly #seen = new Set<string>();
  readonly #base64 = new Base64Decoder();
  #decoded: Buffer[] = [];
  #markupLength = 0;
  /** Whether the next character is text. False inside a tag, a comment or a CDATA section. */
  #inText = false;
  /** Start of a content reference whose end has not arrived yet. */
  #cutReference = '';

  constructor() {
    const parser = this.#sax;
    const inText = () => {
      this.#inText = true;
    };
    parser.onerror = ({ message }) =>
      this.#refuse(`not well-formed XML: ${excerpt(message.split('\n')[0] ?? '', 120)}`);
    parser.ondoctype = () => this.#refuse('a DOCTYPE is not accepted', XmlProblem);
    parser.onopentag = ({ name }) => {
      inText();
      this.#open(localName(name));
    };
    parser.onclosetag = () => {
      inText();
      this.#path.pop();
    };
    parser.oncomment = inText;
    parser.onprocessinginstruction = inText;
    parser.onclosecdata = inText;
    parser.ontext = (text) => this.#text(text);
    parser.oncdata = (text) => {
      if (this.#isInContent) this.#markupLength -= text.length;
      this.#text(text);
    };
  }

  /** Names of the missing elements. */
  get missing(): string[] {
    return [...FIELDS, CONTENT].filter((name) => !this.#seen.has(name));
  }

  /** @throws XmlProblem when the text cannot be part of an attachment file, or an error of sax that nobody expects */
  write(text: string): void {
    for (let at = 0; at < text.length; ) {
      const passesBy = this.#inText && this.#isInContent;
      const stop = text.indexOf(passesBy ? '<' : '>', at);
      const end = stop < 0 ? text.length : stop + (passesBy ? 0 : 1);
      const piece = text.slice(at, end);
      if (passesBy) this.#passBy(piece, stop < 0);
      else this.#parse(piece);
      at = end;
    }
  }

  /** @throws XmlProblem when the file ends too early, or an error of sax that nobody expects */
  end(): void {
    this.#sax.close();
    this.#base64.end();
  }

  /** The bytes decoded since the last call. */
  take(): Buffer[] {
    const decoded = this.#decoded;
    this.#decoded = [];
    return decoded;
  }

  get #isInContent(): boolean {
    return this.#path.length === 2 && this.#path[1] === CONTENT;
  }

  #parse(piece: string): void {
    this.#inText = false;
    for (let at = 0; at < piece.length; at += STEP) {
      const step = piece.slice(at, at + STEP);
      this.#markupLength += step.length;
      this.#sax.write(step);
      if (this.#markupLength > MAX_MARKUP_LENGTH)
        this.#refuse(`there are more than ${MAX_MARKUP_LENGTH} characters beside the content`, XmlProblem);
    }
  }

  /**
   * Decodes text of the content. The XML parser gets only the number of skipped lines. The text may hold references,
   * mostly to line breaks.
   *
   * @param goesOn whether more text may follow, so that the last reference may be incomplete
   */
  #passBy(piece: string, goesOn: boolean): void {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) this.#sax.line += 1;
    const text = this.#cutReference + piece;
    const cut = goesOn ? startOfCutReference(text) : text.length;
    this.#cutReference = text.slice(cut);
    this.#inText = goesOn;
    this.#decode(resolveReferences(text.slice(0, cut)));
  }

  #open(name: string): void {
    const depth = this.#path.length;
    if (depth === 0 && name !== ROOT)
      this.#refuse(`wrong root element "${excerpt(name)}"; expected ${ROOT}`, XmlProblem);
    if (depth >= MAX_DEPTH) this.#refuse('elements are nested too deep', XmlProblem);
    const path = depth === 0 ? '' : name;
    if (depth < 2 && (path === '' || path === CONTENT || isField(path))) {
      if (this.#seen.has(path))
        this.#refuse(`${depth === 0 ? ROOT : `${ROOT}/${name}`} occurs more than once`);
      this.#seen.add(path);
    }
    this.#path.push(name);
  }

  #text(text: string): void {
    if (this.#path.length !== 2) return;
    const name = this.#path[1] ?? '';
    if (name === CONTENT) this.#decode(text);
    if (!isField(name)) return;
    const value = this.fields[name] + text;
    if (value.length > MAX_FIELD_LENGTH)
      this.#refuse(`${ROOT}/${name} is longer than ${MAX_FIELD_LENGTH} characters`, XmlProblem);
    if (NO_XML_CHARACTER.test(value)) this.#refuse(`${ROOT}/${name} has a character that XML does not allow`);
    this.fields[name] = value;
  }

  #decode(text: string): void {
    const decoded = this.#base64.write(text);
    if (decoded === null) this.#refuse(`${ROOT}/${CONTENT} is not base64`);
    else if (decoded.length > 0) this.#decoded.push(decoded);
  }

  /** @param Problem `XmlProblem` for what the Commission's schema may allow */
  #refuse(message: string, Problem: typeof XmlProblem = StructureProblem): never {
    throw new Problem(message, this.#sax.line + 1);
  }
}

/** Start of a reference that does not end in this text; without one, the end of the text. */
function startOfCutReference(text: string): number {
  const start = text.lastIndexOf('&');
  const isCut = start >= text.length - MAX_REFERENCE_LENGTH && start >= 0 && !text.includes(';', start);
  return isCut ? start : text.length;
}

function isField(name: string): name is Field {
  const fields: readonly string[] = FIELDS;
  return fields.includes(name);
}

/** `_` is excluded by a separate search: the exact character class takes six times as long, most of the reading time. */
const BASE64_OR_UNDERSCORE = /^[\w+/]*={0,2}$/;

/** Decodes base64 in pieces, with white space anywhere (RFC 4648 §4, `xs:base64Binary`). */
class Base64Decoder {
  #rest = '';
  #padded = false;

  /** Null when the text cannot be base64. */
  write(text: string): Buffer | null {
    const compact = this.#rest + text.replace(/\s+/g, '');
    if (compact === '') return Buffer.alloc(0);
    if (this.#padded || !BASE64_OR_UNDERSCORE.test(compact) || compact.includes('_')) return null;
    const whole = compact.length - (compact.length % 4);
    this.#rest = compact.slice(whole);
    this.#padded = whole > 0 && compact[whole - 1] === '=';
    return Buffer.from(compact.slice(0, whole), 'base64');
  }

  /** @throws XmlProblem when the text ended in the middle of a group of four */
  end(): void {
    if (this.#rest !== '')
      throw new StructureProblem('Attachment/Content ends in the middle of a base64 group');
  }
}
