/** Values as one line of text, for differences and hashes. */
import { hash } from 'node:crypto';
import type { SentAttachment } from '../../src/domain/product.ts';

/** Characters of a value's JSON; longer values are told apart by their hash. */
const LONGEST_VALUE = 240;

export function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length <= LONGEST_VALUE) return text;
  return `${text.slice(0, LONGEST_VALUE).toWellFormed()}… (${text.length} characters, SHA-256 ${hash('sha256', text)})`;
}

/**
 * The statements of an attachment file that reach the regulator. They are part of stored hashes, so their form must not
 * change. They are bounded, because a dry run keeps those of all its attachments.
 */
export function detailsText({ fileName, contentType, confidential }: Omit<SentAttachment, 'sha256'>): string {
  return valueText({ Filename: fileName, ContentType: contentType, Confidential: confidential });
}
