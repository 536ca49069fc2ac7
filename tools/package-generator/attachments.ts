/** Attachment files: documents as base64 in XML (package format §5), written as streams in constant memory. */
import { Readable } from 'node:stream';
import type { ResolvedOptions } from './options.ts';
import { createRandom, type Random, uuidOf } from './random.ts';

export interface Attachment {
  attachmentId: string;
  filename: string;
  contentType: string;
  confidential: boolean;
  /** Size of the document before it is written as base64. */
  contentBytes: number;
  /** The attachment file. */
  content(): Readable;
  /** The document in it. */
  document(): Readable;
}

const TITLES = [
  'Market research',
  'Prüfbericht Füllmechanismus',
  'Οδηγίες χρήσης',
  'Листовка',
  'Příbalový leták & návod',
  'Nicotine dose <uptake>',
];

export function planAttachments({
  seed,
  style,
  attachments,
  attachmentBytes,
}: ResolvedOptions): Attachment[] {
  const random = createRandom(seed, 'attachment sizes');
  const cuts = Array.from({ length: attachments + 1 }, (_, index) => {
    const isInside = index > 0 && index < attachments;
    return Math.floor((attachmentBytes * (index + (isInside ? random.int(-25, 25) / 100 : 0))) / attachments);
  });
  return cuts.slice(1).map((end, index) => {
    const contentBytes = end - (cuts[index] ?? 0);
    return attachmentOf(seed, index, contentBytes, style === 'varied');
  });
}

function attachmentOf(seed: number, index: number, contentBytes: number, varied: boolean): Attachment {
  const random = createRandom(seed, 'attachment', index);
  const attachmentId = uuidOf(seed, 'attachment', index);
  const filename = `${random.pick(TITLES)} ${String(index + 1).padStart(3, '0')}.pdf`;
  const name = filename.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const confidential = random.chance(0.3);
  const action = varied ? random.pick(['', ' action="CREATE"', ' action="UPDATE"']) : ' action="CREATE"';
  const width = varied ? random.pick([76, 64, null]) : 76;
  const newline = varied ? random.pick(['\n', '\r\n']) : '\n';
  const lines = (...text: string[]) => Buffer.from(text.join(newline), 'utf8');
  const document = () => documentOf(contentBytes, createRandom(seed, 'document', index));
  function* file() {
    yield lines(
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<Attachment${action}>`,
      `  <AttachmentID>${attachmentId}</AttachmentID>`,
      `  <Filename>${name}</Filename>`,
      '  <Content>',
    );
    yield* base64(document(), width, newline);
    yield lines(
      '</Content>',
      '  <ContentType>application/pdf</ContentType>',
      `  <Confidential>${confidential}</Confidential>`,
      '</Attachment>',
      '',
    );
  }
  return {
    attachmentId,
    filename,
    contentType: 'application/pdf',
    confidential,
    contentBytes,
    document: () => Readable.from(document(), { objectMode: false }),
    content: () => Readable.from(file(), { objectMode: false }),
  };
}

/** Bytes of whole base64 lines of 64, 76 and 4 characters. */
const PIECE_BYTES = 48 * 57 * 20;

/** @param width characters per line, each line with its line break; null for one single line without */
function* base64(document: Iterable<Buffer>, width: number | null, newline: string): Generator<Buffer> {
  const line = new RegExp(`.{1,${width}}`, 'g');
  for (const piece of document) {
    const text = piece.toString('base64');
    yield Buffer.from(width === null ? text : text.replace(line, `$&${newline}`), 'latin1');
  }
}

/** The mark of a PDF, and bytes that compress as little as pictures do. Viewers show no such file. */
function* documentOf(bytes: number, random: Random): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE_BYTES) {
    const piece = random.bytes(Math.min(left, PIECE_BYTES));
    if (left === bytes) piece.write('%PDF-1.7\n', 'latin1');
    yield piece;
  }
}
