/** Writes a document as text and bytes, in the styles asked for. In every style the document means the same. */
import type { XmlNode } from './document.ts';
import type { Random } from './random.ts';
import type { StyleName } from './styles.ts';

const NAMESPACE = 'urn:example:eu-ceg';
const ROOT_ATTRIBUTES: Partial<Record<StyleName, Record<string, string>>> = {
  'namespace-prefix': { 'xmlns:ceg': NAMESPACE },
  'default-namespace': { xmlns: NAMESPACE },
  'schema-location': {
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:noNamespaceSchemaLocation': 'submissions.xsd',
  },
};

/** The encoding in the XML declaration, where it is not UTF-8. */
const ENCODINGS: Partial<Record<StyleName, string>> = {
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'iso-8859-1': 'ISO-8859-1',
};

const REMARKS = [
  '<!-- exported by XML Creator 3.2 -->',
  '<!-- <Volume confidential="false">old</Volume> & more -->',
  '<?editor fold="true" level="2 > 1"?>',
  '<!---->',
];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const LAST_OF_LATIN_1 = 0xff;
const LAST_CHARACTER = 0x10ffff;

/** @param random chooses the places of styles that apply to a part of the file */
export function writeXml(root: XmlNode, styles: readonly StyleName[], random: Random): string {
  const has = (style: StyleName) => styles.includes(style);
  const newline = has('crlf') ? '\r\n' : '\n';
  const quote = has('single-quotes') ? "'" : '"';
  const last = has('iso-8859-1') ? LAST_OF_LATIN_1 : LAST_CHARACTER;
  const isWritable = (char: string) => (char.codePointAt(0) ?? 0) <= last;
  const parts: string[] = [];

  function line(depth: number, content: string): void {
    parts.push(has('one-line') ? content : `${'  '.repeat(depth)}${content}${newline}`);
  }

  function write(node: XmlNode, depth: number, more: Record<string, string> = {}): void {
    const name = has('namespace-prefix') ? `ceg:${node.name}` : node.name;
    const start = `${name}${attributesOf({ ...node.attributes, ...more })}`;
    if (node.children.length === 0) {
      const empty = has('empty-pairs') ? `<${start}></${name}>` : `<${start}/>`;
      line(depth, node.value === '' ? empty : `<${start}>${padded(marked(node.value))}</${name}>`);
      return;
    }
    line(depth, `<${start}>`);
    for (const child of node.children) {
      if (has('comments') && random.chance(0.1)) line(depth + 1, random.pick(REMARKS));
      write(child, depth + 1);
    }
    line(depth, `</${name}>`);
  }

  function attributesOf(attributes: Record<string, string>): string {
    const apart = has('single-quotes') && !has('one-line') && random.chance(0.1);
    const gap = apart ? `${newline}      ` : ' ';
    const quoted = (value: string) => escaped(value).replaceAll(quote, quote === '"' ? '&quot;' : '&apos;');
    const texts = Object.entries(attributes).map(
      ([name, value]) => `${gap}${name}=${quote}${quoted(value)}${quote}`,
    );
    return texts.join('');
  }

  function padded(value: string): string {
    if (!has('padding') || !random.chance(0.4)) return value;
    const [before, after] = random.pick([
      [' ', ' '],
      ['', `${newline}        `],
      [`${newline}\t`, newline],
      ['   ', ''],
    ]);
    return `${before}${value}${after}`;
  }

  /** In half of the CDATA sections the first half of the value is before the section. */
  function marked(value: string): string {
    // Splits by characters: halves of surrogate pairs would be invalid.
    const chars = [...value];
    const middle = chars.slice(0, chars.length / 2).join('').length;
    if (has('cdata') && random.chance(0.3)) {
      const cut = random.chance(0.5) ? 0 : middle;
      const section = value.slice(cut).replaceAll(']]>', ']]]]><![CDATA[>').replaceAll('\n', newline);
      if (![...section].every(isWritable)) return escaped(value);
      return `${escaped(value.slice(0, cut))}<![CDATA[${section}]]>`;
    }
    if (has('comments') && random.chance(0.03))
      return `${escaped(value.slice(0, middle))}<!-- sic -->${escaped(value.slice(middle))}`;
    return escaped(value);
  }

  function escaped(value: string): string {
    const text = value.replace(/[&<>]/g, (char) => ESCAPES[char] ?? char).replaceAll('\n', newline);
    if (!has('character-references') && !has('iso-8859-1')) return text;
    return text.replace(/[^\n\r]/gu, withReference);
  }

  /** Leaves alone the characters of an escape. */
  function withReference(char: string): string {
    const free = has('character-references') && !/[&;a-z#]/.test(char) && random.chance(0.15);
    if (isWritable(char) && !free) return char;
    const code = char.codePointAt(0) ?? 0;
    return random.chance(0.5) ? `&#${code};` : `&#x${code.toString(16).toUpperCase()};`;
  }

  const encoding = styles.map((style) => ENCODINGS[style]).find(Boolean) ?? 'UTF-8';
  const declaration = `<?xml version=${quote}1.0${quote} encoding=${quote}${encoding}${quote}?>`;
  if (!has('no-declaration')) line(0, declaration);
  if (has('comments')) line(0, random.pick(REMARKS));
  write(root, 0, Object.assign({}, ...styles.map((style) => ROOT_ATTRIBUTES[style])));
  if (has('comments')) line(0, '<!-- end -->');
  return parts.join('');
}

/** UTF-16 gets a byte order mark. Text for ISO-8859-1 has other characters as references. */
export function encode(text: string, styles: readonly StyleName[]): Buffer {
  if (styles.includes('iso-8859-1')) return Buffer.from(text, 'latin1');
  if (styles.includes('bom')) return Buffer.from(`\ufeff${text}`, 'utf8');
  if (styles.includes('utf-16le')) return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (styles.includes('utf-16be')) return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return Buffer.from(text, 'utf8');
}
