/**
 * Parses the text of an attachment file in pieces. The content is decoded while it arrives. All other text is the
 * outline, which the reader of products parses at the end.
 */
import { resolveReferences, StructureProblem, XmlProblem } from './xml/decode.ts';
import { localName } from './xml/gate.ts';
import { parseXml, wrongRoot, type XmlElement } from './xml/tree.ts';

export const ROOT = 'Attachment';
export const CONTENT = 'Content';

/** Maximum characters of the outline, which is four short fields and their tags. */
const MAX_OUTLINE_LENGTH = 256 * 1024;
/** Length of the longest character reference, e.g. `&#x0000000d;`, with a margin. */
const MAX_REFERENCE_LENGTH = 16;
const SECTION_START = '<![CDATA[';
const SECTION_END = ']]>';
/** A text, comment, CDATA section, processing instruction or tag with its end. */
const PART =
  /[^<]+|<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(?!!--|!\[CDATA\[|\?)(?:[^>"']|"[^"]*"|'[^']*')*>/y;

/** `_` is excluded by a separate search: the exact character class takes six times as long, most of the reading time. */
const BASE64_OR_UNDERSCORE = /^[\w+/]*={0,2}$/;

export class AttachmentParser {
  /** Local names of the open elements. */
  readonly #path: string[] = [];
  /** Text that needs more text to be understood. */
  #pending = '';
  #outline = '';
  /** Line breaks of the content, and the line of the outline in which the content begins. */
  #contentLines = 0;
  #contentStart = Number.POSITIVE_INFINITY;
  #inSection = false;
  /** The begun group of four base64 characters. */
  #rest = '';
  #isPadded = false;

  /**
   * Returns bytes of the content.
   *
   * @throws XmlProblem when the text cannot be part of an attachment file
   */
  write(text: string): Buffer[] {
    const decoded: Buffer[] = [];
    this.#pending += text;
    for (let isComplete = true; isComplete; ) {
      const content = this.#isInContent ? this.#takeContent() : null;
      if (content) decoded.push(this.#decoded(content.text));
      isComplete = content ? content.isComplete : this.#takePart();
    }
    if (this.#outline.length + this.#pending.length > MAX_OUTLINE_LENGTH)
      throw new XmlProblem(`there are more than ${MAX_OUTLINE_LENGTH} characters beside the content`);
    return decoded;
  }

  /**
   * The root element. Its content is empty.
   *
   * @throws XmlProblem when the file cannot be read or ends too early
   */
  end(): XmlElement {
    try {
      const root = parseXml(this.#outline + this.#pending, ROOT);
      if (this.#rest !== '')
        throw new StructureProblem(`${ROOT}/${CONTENT} ends in the middle of a base64 group`);
      return root;
    } catch (error) {
      if (!(error instanceof XmlProblem)) throw error;
      const { line } = error.reason;
      if (line === null || line <= this.#contentStart) throw error;
      throw error.at(line + this.#contentLines);
    }
  }

  get #isInContent(): boolean {
    return this.#path.length === 2 && this.#path[1] === CONTENT;
  }

  /** Takes the next text of the content, and says whether its end has arrived. Null if markup is next. */
  #takeContent(): { text: string; isComplete: boolean } | null {
    if (!this.#inSection && this.#pending.startsWith(SECTION_START)) {
      this.#pending = this.#pending.slice(SECTION_START.length);
      this.#inSection = true;
    } else if (!this.#inSection && this.#pending.startsWith('<')) return null;
    const mark = this.#inSection ? SECTION_END : '<';
    const end = this.#pending.indexOf(mark);
    const isComplete = end >= 0;
    const isSection = this.#inSection;
    const cut = isComplete ? end : startOfCut(this.#pending, isSection);
    const text = this.#pending.slice(0, cut);
    this.#pending = this.#pending.slice(isComplete && isSection ? end + mark.length : cut);
    this.#inSection &&= !isComplete;
    this.#contentLines += lineBreaksOf(text);
    return { text: isSection ? text : resolveReferences(text), isComplete };
  }

  /** Moves the next part to the outline. False if its end has not arrived. */
  #takePart(): boolean {
    PART.lastIndex = 0;
    const part = PART.exec(this.#pending)?.[0];
    if (part === undefined) return false;
    this.#pending = this.#pending.slice(part.length);
    this.#outline += part;
    const name = /^<([^\s!?/>][^\s/>]*)/.exec(part)?.[1];
    if (part.startsWith('</')) this.#path.pop();
    else if (name !== undefined && !part.endsWith('/>')) this.#open(localName(name));
    return true;
  }

  #open(name: string): void {
    if (this.#path.length === 0 && name !== ROOT) throw wrongRoot(name, this.#line, ROOT);
    this.#path.push(name);
    // Once only: counting the lines takes as long as the outline.
    if (this.#isInContent && this.#contentStart === Number.POSITIVE_INFINITY) this.#contentStart = this.#line;
  }

  /** Base64 may have white space anywhere (RFC 4648 §4, `xs:base64Binary`). */
  #decoded(text: string): Buffer {
    const compact = this.#rest + text.replace(/\s+/g, '');
    const isValid = BASE64_OR_UNDERSCORE.test(compact) && !compact.includes('_');
    if (!isValid || (this.#isPadded && compact !== ''))
      throw new StructureProblem(`${ROOT}/${CONTENT} is not base64`, this.#line);
    const whole = compact.length - (compact.length % 4);
    this.#rest = compact.slice(whole);
    this.#isPadded ||= compact[whole - 1] === '=';
    return Buffer.from(compact.slice(0, whole), 'base64');
  }

  /** From 1. */
  get #line(): number {
    return lineBreaksOf(this.#outline) + this.#contentLines + 1;
  }
}

function lineBreaksOf(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks += 1;
  return breaks;
}

/** Start of a reference, or of the end of a section, that has not arrived whole; without one, the end of the text. */
function startOfCut(text: string, inSection: boolean): number {
  if (inSection) return Math.max(0, text.length - SECTION_END.length + 1);
  const start = text.lastIndexOf('&');
  const isCut = start >= text.length - MAX_REFERENCE_LENGTH && start >= 0 && !text.includes(';', start);
  return isCut ? start : text.length;
}
