/** Leaves with a flag, for one document that keeps some of its fields confidential. */
import { type LeafForm, plain, type XmlLeaf } from './nodes.ts';

export interface Fields {
  text(name: string, value: string): XmlLeaf;
  word(name: string, value: string): XmlLeaf;
  boolean(name: string, value: boolean): XmlLeaf;
  code(name: string, value: number): XmlLeaf;
  integer(name: string, value: number): XmlLeaf;
  /** As written: leading zeros, long decimals and exponents are part of the value. */
  double(name: string, value: string): XmlLeaf;
  date(name: string, value: string): XmlLeaf;
  year(name: string, value: number): XmlLeaf;
}

/** @param isSecret whether elements of this name are confidential */
export function fieldsOf(isSecret: (name: string) => boolean): Fields {
  const leaf = (form: LeafForm, name: string, value: string | boolean): XmlLeaf => ({
    ...plain(form, name, value),
    attributes: { confidential: String(isSecret(name)) },
    flagged: true,
  });
  return {
    text: (name, value) => leaf('text', name, value),
    word: (name, value) => leaf('word', name, value),
    boolean: (name, value) => leaf('boolean', name, value),
    code: (name, value) => leaf('code', name, String(value)),
    integer: (name, value) => leaf('integer', name, String(value)),
    double: (name, value) => leaf('double', name, value),
    date: (name, value) => leaf('date', name, value),
    year: (name, value) => leaf('year', name, String(value)),
  };
}
