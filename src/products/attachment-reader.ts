/**
 * Reads an attachment file (package format §5). Its content is base64 inside one element and may be
 * larger than memory, so it is decoded as a stream.
 */

import { excerpt } from '../common/text.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import type { AttachmentDetails } from '../domain/product.ts';
import { AttachmentParser, ROOT } from './attachment-parser.ts';
import { booleanOf } from './schema/lexical.ts';
import {
  decoderFor,
  encodingOf,
  HEAD_BYTES,
  StructureProblem,
  type XmlDecoder,
  type XmlProblem,
  xmlProblemOf,
} from './xml/decode.ts';

interface AttachmentReader {
  /**
   * The decoded content. Fails with XmlProblem when the file is not a readable attachment, but with the
   * source's own error when that fails as well.
   */
  content: AsyncGenerator<Buffer>;
  /** Call it after the content has been read. @throws XmlProblem when something is missing */
  details(): AttachmentDetails;
}

export function readAttachment(source: AsyncIterable<Buffer>): AttachmentReader {
  const parser = new AttachmentParser();
  return { content: contentOf(source, parser), details: () => detailsOf(parser) };
}

async function* contentOf(source: AsyncIterable<Buffer>, parser: AttachmentParser): AsyncGenerator<Buffer> {
  let decoder: XmlDecoder | undefined;
  let problem: XmlProblem | undefined;
  for await (const chunk of withWholeHead(source)) {
    // The rest is still read: damage to the archive shows at its end at the latest.
    if (problem) continue;
    try {
      const { label, offset } = decoder ? { label: '', offset: 0 } : encodingOf(chunk);
      decoder ??= decoderFor(label);
      parser.write(decoder.write(chunk.subarray(offset)));
    } catch (error) {
      problem = xmlProblemOf(error);
    }
    if (!problem) yield* parser.take();
  }
  if (problem) throw problem;
  try {
    parser.write(decoder?.end() ?? '');
    parser.end();
  } catch (error) {
    throw xmlProblemOf(error);
  }
  yield* parser.take();
}

function detailsOf({ fields, missing }: AttachmentParser): AttachmentDetails {
  if (missing.length > 0) throw new StructureProblem(`${ROOT}: missing ${missing.join(', ')}`);
  const attachmentId = fields.AttachmentID.trim().toLowerCase();
  if (!UUID_PATTERN.test(attachmentId)) {
    throw new StructureProblem(`${ROOT}/AttachmentID "${excerpt(attachmentId)}" is invalid; expected a UUID`);
  }
  return {
    attachmentId,
    fileName: fields.Filename.trim(),
    // RFC 9110 §8.3: the type of content without one.
    contentType: fields.ContentType.trim() || 'application/octet-stream',
    confidential: booleanOf(fields.Confidential) ?? true,
  };
}

/** Joins the first bytes into one piece, because they determine the encoding. */
async function* withWholeHead(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of source) {
    if (head === null) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD_BYTES) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}
