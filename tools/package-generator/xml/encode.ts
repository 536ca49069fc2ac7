/** From text to bytes, in the encodings that an importer has to know (package format §6). */

export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'iso-8859-1';

/** What the XML declaration calls them. */
export const ENCODING_LABELS: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-8-bom': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'iso-8859-1': 'ISO-8859-1',
};

const BYTE_ORDER_MARK = '\ufeff';

/** UTF-16 gets a byte order mark. Characters that ISO-8859-1 lacks must have been written as references. */
export function encode(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-8-bom':
      return Buffer.from(BYTE_ORDER_MARK + text, 'utf8');
    case 'utf-16le':
      return Buffer.from(BYTE_ORDER_MARK + text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(BYTE_ORDER_MARK + text, 'utf16le').swap16();
    case 'iso-8859-1':
      return Buffer.from(text, 'latin1');
  }
}
