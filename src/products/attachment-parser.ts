/**
 * The XML of an attachment file, piece by piece. The content is decoded as it passes, and where it is plain
 * text, as it nearly always is, it goes past the XML parser, which reads character by character.
 */
import sax from 'sax';
import { excerpt } from '../domain/text.ts';
import { Base64Decoder } from './base64-decoder.ts';
import { localName } from './xml/gate.ts';
import { resolveReferences } from './xml/references.ts';
import { XmlProblem } from './xml/xml-problem.ts';

export const ROOT = 'Attachment';
const CONTENT = 'Content';
const FIELDS = ['AttachmentID', 'Filename', 'ContentType', 'Confidential'] as const;
type Field = (typeof FIELDS)[number];

const MAX_FIELD_LENGTH = 1_000;
const MAX_DEPTH = 16;
/** Characters beside the content: four short fields and their tags. More than twice what a step reads. */
const MAX_MARKUP_LENGTH = 256 * 1024;
/** The XML parser gets no more at once, and keeps no more of a CDATA section. */
const STEP = 64 * 1024;
/** What XML does not allow (§2.2), and what no database can keep. */
const NO_XML_CHARACTER = /[^\P{Cc}\t\n\r\x7f-\x9f]|[\ufffe\uffff]|\p{Cs}/u;
/** The longest reference to a character, e.g. `&#x0000000d;`, with room. */
const MAX_REFERENCE_LENGTH = 16;

export class AttachmentParser {
  readonly fields: Record<Field, string> = {
    AttachmentID: '',
    Filename: '',
    ContentType: '',
    Confidential: '',
  };
  // Only the five entities of XML; the types do not know that option.
  readonly #sax = sax.parser(true, { position: true, strictEntities: true } as sax.SAXOptions);
  readonly #path: string[] = [];
  readonly #seen = new Set<string>();
  readonly #base64 = new Base64Decoder();
  #decoded: Buffer[] = [];
  #markupLength = 0;
  /** Whether what comes next is text: not known in the middle of a tag, a comment or a CDATA section. */
  #inText = false;
  /** Beginning of a reference in the content, whose end is yet to come. */
  #cutReference = '';

  constructor() {
    const parser = this.#sax;
    const inText = () => {
      this.#inText = true;
    };
    parser.onerror = ({ message }) =>
      this.#refuse(`not well-formed XML: ${excerpt(message.split('\n')[0] ?? '', 120)}`);
    parser.ondoctype = () => this.#refuse('a DOCTYPE is not accepted');
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

  /** Which elements were not there. */
  get missing(): string[] {
    return [...FIELDS, CONTENT].filter((name) => !this.#seen.has(name));
  }

  /** @throws XmlProblem when this cannot be part of an attachment file */
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

  /** @throws XmlProblem when the file ends too early */
  end(): void {
    this.#sax.close();
    this.#base64.end();
  }

  /** What has been decoded since it was asked for last. */
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
        this.#refuse(`there are more than ${MAX_MARKUP_LENGTH} characters beside the content`);
    }
  }

  /**
   * Text of the content: the XML parser is told only how many lines it missed. It may hold references, to
   * line breaks above all.
   *
   * @param goesOn whether more text may follow, so that a reference at the end may be cut in two
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
    if (depth === 0 && name !== ROOT) this.#refuse(`wrong root element "${excerpt(name)}"; expected ${ROOT}`);
    if (depth >= MAX_DEPTH) this.#refuse('elements are nested too deep');
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
      this.#refuse(`${ROOT}/${name} is longer than ${MAX_FIELD_LENGTH} characters`);
    if (NO_XML_CHARACTER.test(value)) this.#refuse(`${ROOT}/${name} has a character that XML does not allow`);
    this.fields[name] = value;
  }

  #decode(text: string): void {
    const decoded = this.#base64.write(text);
    if (decoded === null) this.#refuse(`${ROOT}/${CONTENT} is not base64`);
    else if (decoded.length > 0) this.#decoded.push(decoded);
  }

  #refuse(message: string): never {
    throw new XmlProblem(message, { line: this.#sax.line + 1 });
  }
}

/** Where a reference begins that does not end in this text; otherwise the text's end. */
function startOfCutReference(text: string): number {
  const start = text.lastIndexOf('&');
  const isCut = start >= text.length - MAX_REFERENCE_LENGTH && start >= 0 && !text.includes(';', start);
  return isCut ? start : text.length;
}

function isField(name: string): name is Field {
  const fields: readonly string[] = FIELDS;
  return fields.includes(name);
}
