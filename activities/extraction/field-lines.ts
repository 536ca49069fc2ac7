/** A section as text for comparison, one line per field: `path: value`. Pure. */
import { createHash } from 'node:crypto';

/** Characters of a section; longer sections are not compared. */
const LONGEST_TEXT = 1024 * 1024;
/** Characters of a value's JSON; longer values are compared by their hash. */
const LONGEST_VALUE = 240;

/**
 * Sorts the fields, because the database does not keep the order of JSON keys. Paths are those of warnings:
 * `Presentations/Presentation[2]/BrandName`. Values are JSON, so that each is one line.
 *
 * @param contentOf describes the content of an attachment, beside its ID
 * @returns null if the text would be too long
 */
export function fieldLines(
  value: unknown,
  contentOf: (attachmentId: string) => string = () => '',
  root = '',
): string | null {
  let text = '';
  for (const line of linesOf(value, root, contentOf)) {
    text += `${line}\n`;
    if (text.length > LONGEST_TEXT) return null;
  }
  return text;
}

function* linesOf(
  value: unknown,
  path: string,
  contentOf: (attachmentId: string) => string,
): Generator<string> {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) yield* linesOf(item, `${path}[${index + 1}]`, contentOf);
  } else if (isFilled(value)) {
    for (const name of Object.keys(value).sort()) {
      const below = path === '' ? name : `${path}/${name}`;
      const content = value[name];
      yield* linesOf(content, below, contentOf);
      if (name === 'attachmentID' && typeof content === 'string')
        yield `${below} (content): ${contentOf(content)}`;
    }
  } else if (value !== null && value !== undefined) yield `${path}: ${valueText(value)}`;
}

function isFilled(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length <= LONGEST_VALUE) return text;
  const hash = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, LONGEST_VALUE).toWellFormed()}… (${text.length} characters, SHA-256 ${hash})`;
}
