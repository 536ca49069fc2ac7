/** Writes a document as text, in the manner asked for. Whatever the manner, the document is the same. */
import type { Random } from '../random.ts';
import { type Attributes, isGroup, type XmlGroup, type XmlLeaf, type XmlNode } from './nodes.ts';

export interface Manner {
  /** `encoding` of the XML declaration; null for a document without one. */
  declared: string | null;
  newline: '\n' | '\r\n';
  /** Blanks per level; null for a document in one line. */
  indent: number | null;
  quote: '"' | "'";
  /** Namespace prefix of all elements. */
  prefix: string | null;
  /** Attributes of the root element besides its own. */
  rootAttributes: Attributes;
  /** Empty elements as start tag and end tag. */
  pairedEmpties: boolean;
  /** Text may stand in CDATA sections, in part or as a whole. */
  cdata: boolean;
  /** Comments and processing instructions between elements and inside of values. */
  comments: boolean;
  /** Blanks and line breaks round values. */
  padding: boolean;
  /** Any character may be written as a reference. */
  references: boolean;
  /** The characters above this code point must be. */
  highestCharacter: number;
}

export const PLAIN_MANNER: Manner = {
  declared: 'UTF-8',
  newline: '\n',
  indent: 2,
  quote: '"',
  prefix: null,
  rootAttributes: {},
  pairedEmpties: false,
  cdata: false,
  comments: false,
  padding: false,
  references: false,
  highestCharacter: 0x10ffff,
};

const REMARKS = [
  '<!-- exported by XML Creator 3.2 -->',
  '<!-- <Volume confidential="false">old</Volume> & more -->',
  '<?editor fold="true" level="2 > 1"?>',
  '<!---->',
];

/** @param random decides where a manner that is not used throughout is used */
export function writeXml(root: XmlGroup, manner: Manner, random: Random): string {
  const writer = new Writer(manner, random);
  const { declared, quote, comments } = manner;
  if (declared !== null)
    writer.line(0, `<?xml version=${quote}1.0${quote} encoding=${quote}${declared}${quote}?>`);
  if (comments) writer.line(0, random.pick(REMARKS));
  writer.node({ ...root, attributes: { ...root.attributes, ...manner.rootAttributes } }, 0);
  if (comments) writer.line(0, '<!-- end -->');
  return writer.text;
}

class Writer {
  readonly #manner: Manner;
  readonly #random: Random;
  readonly #parts: string[] = [];

  constructor(manner: Manner, random: Random) {
    this.#manner = manner;
    this.#random = random;
  }

  get text(): string {
    return this.#parts.join('');
  }

  line(depth: number, content: string): void {
    const { indent, newline } = this.#manner;
    this.#parts.push(indent === null ? content : `${' '.repeat(indent * depth)}${content}${newline}`);
  }

  node(node: XmlNode, depth: number): void {
    const name = this.#manner.prefix === null ? node.name : `${this.#manner.prefix}:${node.name}`;
    const start = `${name}${this.#attributes(node.attributes)}`;
    if (!isGroup(node)) {
      this.line(depth, node.form === 'reference' ? this.#empty(name, start) : this.#leaf(node, name, start));
      return;
    }
    if (node.children.length === 0) {
      this.line(depth, this.#empty(name, start));
      return;
    }
    this.line(depth, `<${start}>`);
    for (const child of node.children) {
      if (this.#manner.comments && this.#random.chance(0.1)) this.line(depth + 1, this.#random.pick(REMARKS));
      this.node(child, depth + 1);
    }
    this.line(depth, `</${name}>`);
  }

  #leaf({ value }: XmlLeaf, name: string, start: string): string {
    if (value === '') return this.#empty(name, start);
    const { padding } = this.#manner;
    const [before, after] = padding && this.#random.chance(0.4) ? this.#blanks() : ['', ''];
    return `<${start}>${before}${this.#value(value)}${after}</${name}>`;
  }

  #empty(name: string, start: string): string {
    return this.#manner.pairedEmpties ? `<${start}></${name}>` : `<${start}/>`;
  }

  #blanks(): [string, string] {
    const { newline } = this.#manner;
    return this.#random.pick<[string, string]>([
      [' ', ' '],
      ['', `${newline}        `],
      [`${newline}\t`, newline],
      ['   ', ''],
    ]);
  }

  #value(value: string): string {
    const { cdata, comments } = this.#manner;
    if (cdata && this.#random.chance(0.3)) return this.#inCdata(value);
    if (comments && this.#random.chance(0.03)) {
      const at = this.#cut(value);
      return `${this.#escaped(value.slice(0, at))}<!-- sic -->${this.#escaped(value.slice(at))}`;
    }
    return this.#escaped(value);
  }

  /** As a whole, or only its second half. */
  #inCdata(value: string): string {
    const at = this.#random.chance(0.5) ? 0 : this.#cut(value);
    const section = value
      .slice(at)
      .replaceAll(']]>', ']]]]><![CDATA[>')
      .replaceAll('\n', this.#manner.newline);
    const literal = [...section].every((char) => this.#isWritable(char));
    return literal ? `${this.#escaped(value.slice(0, at))}<![CDATA[${section}]]>` : this.#escaped(value);
  }

  /** A place in the middle, not inside of a surrogate pair. */
  #cut(value: string): number {
    return [...value].slice(0, Math.floor([...value].length / 2)).join('').length;
  }

  #attributes(attributes: Attributes): string {
    const { quote, newline, indent } = this.#manner;
    const entries = Object.entries(attributes);
    const gap = indent === null || quote === '"' || !this.#random.chance(0.1) ? ' ' : `${newline}      `;
    return entries
      .map(
        ([name, value]) =>
          `${gap}${name}=${quote}${this.#escaped(value).replaceAll(quote, quote === '"' ? '&quot;' : '&apos;')}${quote}`,
      )
      .join('');
  }

  #escaped(value: string): string {
    const escaped = value
      .replace(/[&<>]/g, (char) => ESCAPES[char] ?? char)
      .replaceAll('\n', this.#manner.newline);
    if (!this.#manner.references && this.#manner.highestCharacter === PLAIN_MANNER.highestCharacter)
      return escaped;
    return escaped.replace(/[^\n\r]/gu, (char) => this.#reference(char));
  }

  /** Leaves alone what is part of an escape already. */
  #reference(char: string): string {
    const code = char.codePointAt(0) ?? 0;
    const free = this.#manner.references && !/[&;a-z#]/.test(char) && this.#random.chance(0.15);
    if (this.#isWritable(char) && !free) return char;
    return this.#random.chance(0.5) ? `&#${code};` : `&#x${code.toString(16).toUpperCase()};`;
  }

  #isWritable(char: string): boolean {
    return (char.codePointAt(0) ?? 0) <= this.#manner.highestCharacter;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
