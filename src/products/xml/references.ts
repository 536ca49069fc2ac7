/** References in text: numeric character references and XML's five entities (XML §4.1, §4.6). */
import type { EntityDecoderOptions } from 'fast-xml-parser';

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

const nothing = () => {};

/**
 * For fast-xml-parser, on text that passed the gate. Its default decoder is created for every document, knows HTML's
 * entities and counts expansions. Documents have no entities of their own here.
 */
export const referenceDecoder: EntityDecoderOptions = {
  decode: resolveReferences,
  reset: nothing,
  setXmlVersion: nothing,
  setExternalEntities: nothing,
  addInputEntities: nothing,
};
