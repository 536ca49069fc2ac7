/**
 * Reads an attachment file (package format §5). Its content is base64 inside one element and may be
 * larger than memory, so it is decoded as a stream.
 */
import { excerpt } from '../common/text.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import type { AttachmentDetails } from '../domain/product.ts';
import { AttachmentParser, CONTENT, ROOT } from './attachment-parser.ts';
import { booleanOf } from './schema/lexical.ts';
import { StructureProblem, XmlDecoder, XmlProblem, xmlProblemOf } from './xml/decode.ts';
import type { XmlElement } from './xml/tree.ts';

const FIELDS = ['AttachmentID', 'Filename', 'ContentType', 'Confidential'] as const;
const MAX_FIELD_LENGTH = 1_000;

interface AttachmentReader {
  /**
   * The decoded content. Fails with XmlProblem when the file is not a readable attachment, but with the
   * source's own error when that fails as well.
   */
  content: AsyncGenerator<Buffer>;
  /** Call it after the content has been read. */
  details(): AttachmentDetails;
}

export function readAttachment(source: AsyncIterable<Buffer>): AttachmentReader {
  let details: AttachmentDetails | undefined;
  return {
    content: content(),
    details() {
      if (!details) throw new Error('The content of the attachment has not been read');
      return details;
    },
  };

  async function* content(): AsyncGenerator<Buffer> {
    const decoder = new XmlDecoder();
    const parser = new AttachmentParser();
    let problem: XmlProblem | undefined;
    let decoded: Buffer[] = [];
    for await (const chunk of source) {
      // The rest is still read: damage to the archive shows at its end at the latest.
      if (problem) continue;
      try {
        decoded = parser.write(decoder.write(chunk));
      } catch (error) {
        problem = xmlProblemOf(error);
        continue;
      }
      yield* decoded;
    }
    if (problem) throw problem;
    try {
      decoded = parser.write(decoder.end());
      details = detailsOf(parser.end());
    } catch (error) {
      throw xmlProblemOf(error);
    }
    yield* decoded;
  }
}

function detailsOf(root: XmlElement): AttachmentDetails {
  const found = new Map<string, XmlElement>();
  for (const element of root.children) {
    const { name, line, text } = element;
    if (name !== CONTENT && !FIELDS.some((field) => field === name)) continue;
    if (found.has(name)) throw new StructureProblem(`${ROOT}/${name} occurs more than once`, line);
    if (text.length > MAX_FIELD_LENGTH)
      throw new XmlProblem(`${ROOT}/${name} is longer than ${MAX_FIELD_LENGTH} characters`, line);
    found.set(name, element);
  }
  const missing = [...FIELDS, CONTENT].filter((name) => !found.has(name));
  if (missing.length > 0) throw new StructureProblem(`${ROOT}: missing ${missing.join(', ')}`);
  const textOf = (name: (typeof FIELDS)[number]) => found.get(name)?.text.trim() ?? '';
  const attachmentId = textOf('AttachmentID').toLowerCase();
  if (!UUID_PATTERN.test(attachmentId))
    throw new StructureProblem(`${ROOT}/AttachmentID "${excerpt(attachmentId)}" is invalid; expected a UUID`);
  return {
    attachmentId,
    fileName: textOf('Filename'),
    // RFC 9110 §8.3: the type of content without one.
    contentType: textOf('ContentType') || 'application/octet-stream',
    confidential: booleanOf(textOf('Confidential')) ?? true,
  };
}
