/** Attachment files: PDFs as base64 in XML (package format §5), written as streams in constant memory. */
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
  const document = () => pdfDocument(contentBytes, createRandom(seed, 'document', index));
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

/** @param width characters per line, each line with its line break; null for one single line without */
function* base64(document: Iterable<Buffer>, width: number | null, newline: string): Generator<Buffer> {
  const unit = ((width ?? 4) / 4) * 3;
  const line = new RegExp(`.{1,${width}}`, 'g');
  const encoded = (bytes: Buffer) => {
    const text = bytes.toString('base64');
    return Buffer.from(width === null ? text : text.replace(line, `$&${newline}`), 'latin1');
  };
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of document) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % unit);
    yield encoded(bytes.subarray(0, whole));
    rest = bytes.subarray(whole);
  }
  yield encoded(rest);
}

const PIECE_BYTES = 64 * 1024;

/** A PDF of one empty page. The offsets are those of its objects, and of its table. */
const PDF_HEAD = `%PDF-1.7
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> >>
endobj
xref
0 4
0000000000 65535 f 
0000000009 00000 n 
0000000058 00000 n 
0000000115 00000 n 
trailer
<< /Size 4 /Root 1 0 R >>
`;
const PDF_TAIL = `\nstartxref\n${PDF_HEAD.indexOf('xref')}\n%%EOF\n`;

/**
 * Writes a PDF of exactly the wanted size. Before its end stands a filler that compresses as little as pictures
 * do. Viewers do not look there.
 * @param bytes less than about half a kilobyte gives only the beginning of a document
 */
function* pdfDocument(bytes: number, random: Random): Generator<Buffer> {
  yield Buffer.from(PDF_HEAD.slice(0, bytes));
  const filler = Math.max(0, bytes - PDF_HEAD.length - PDF_TAIL.length);
  for (let left = filler; left > 0; left -= PIECE_BYTES) yield random.bytes(Math.min(left, PIECE_BYTES));
  yield Buffer.from(PDF_TAIL.slice(0, Math.max(0, bytes - PDF_HEAD.length)));
}
