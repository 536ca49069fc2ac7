/** Attachment files: PDFs as base64 in XML (package format §5), written as streams. */
import { Readable } from 'node:stream';
import type { ResolvedOptions } from './options.ts';
import { pdfDocument } from './pdf.ts';
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

const CONTENT_TYPE = 'application/pdf';

const TITLES = [
  'Market research',
  'Toxicological study',
  'Emission test methods',
  'Production process',
  'Unit packet picture',
  'Notice d’emploi',
  'Prüfbericht Füllmechanismus',
  'Οδηγίες χρήσης',
  'Листовка',
  'Příbalový leták & návod',
  'Nicotine dose <uptake>',
];

/** How the base64 text is laid out. */
interface Layout {
  action: string;
  /** Bytes of the document per line; null for one single line. */
  bytesPerLine: number | null;
  newline: string;
}

const PLAIN_LAYOUT: Layout = { action: ' action="CREATE"', bytesPerLine: 57, newline: '\n' };

export function planAttachments(options: ResolvedOptions): Attachment[] {
  const { seed, attachments, attachmentBytes } = options;
  const sizes = divide(attachmentBytes, attachments, createRandom(seed, 'attachment sizes'));
  return sizes.map((bytes, index) => planAttachment(options, index, bytes));
}

function planAttachment({ seed, style }: ResolvedOptions, index: number, contentBytes: number): Attachment {
  const random = createRandom(seed, 'attachment', index);
  const title = random.pick(TITLES);
  const attachmentId = uuidOf(seed, 'attachment', index);
  const filename = `${title} ${String(index + 1).padStart(3, '0')}.pdf`;
  const confidential = random.chance(0.3);
  const layout = style === 'plain' ? PLAIN_LAYOUT : variedLayout(random);
  const document = () => pdfDocument(filename, contentBytes, createRandom(seed, 'document', index));
  return {
    attachmentId,
    filename,
    contentType: CONTENT_TYPE,
    confidential,
    contentBytes,
    document: () => Readable.from(document(), { objectMode: false }),
    content: () =>
      Readable.from(attachmentFile({ attachmentId, filename, confidential, layout }, document()), {
        objectMode: false,
      }),
  };
}

function variedLayout(random: Random): Layout {
  return {
    action: random.pick(['', ' action="CREATE"', ' action="UPDATE"']),
    bytesPerLine: random.pick([57, 48, null]),
    newline: random.pick(['\n', '\r\n']),
  };
}

function* attachmentFile(
  {
    attachmentId,
    filename,
    confidential,
    layout,
  }: Pick<Attachment, 'attachmentId' | 'filename' | 'confidential'> & { layout: Layout },
  document: Iterable<Buffer>,
): Generator<Buffer> {
  const { action, newline } = layout;
  const name = filename.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const lines = (...text: string[]) => Buffer.from(text.join(newline), 'utf8');
  yield lines(
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Attachment${action}>`,
    `  <AttachmentID>${attachmentId}</AttachmentID>`,
    `  <Filename>${name}</Filename>`,
    '  <Content>',
  );
  yield* base64(document, layout);
  yield lines(
    '</Content>',
    `  <ContentType>${CONTENT_TYPE}</ContentType>`,
    `  <Confidential>${confidential}</Confidential>`,
    '</Attachment>',
    '',
  );
}

function* base64(document: Iterable<Buffer>, { bytesPerLine, newline }: Layout): Generator<Buffer> {
  const unit = bytesPerLine ?? 3;
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of document) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % unit);
    if (whole > 0) yield encoded(bytes.subarray(0, whole), bytesPerLine, newline);
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield encoded(rest, bytesPerLine, newline);
}

/** Every line ends with a line break. */
function encoded(bytes: Buffer, bytesPerLine: number | null, newline: string): Buffer {
  const text = Buffer.from(bytes.toString('base64'), 'latin1');
  if (bytesPerLine === null) return text;
  const width = (bytesPerLine / 3) * 4;
  const lines = Math.ceil(text.length / width);
  const broken = Buffer.allocUnsafe(text.length + lines * newline.length);
  let at = 0;
  for (let start = 0; start < text.length; start += width) {
    at += text.copy(broken, at, start, start + width);
    at += broken.write(newline, at, 'latin1');
  }
  return broken;
}

/** Uneven parts that add up to the total. */
function divide(total: number, count: number, random: Random): number[] {
  const weights = Array.from({ length: count }, () => random.int(50, 150));
  let weight = weights.reduce((sum, each) => sum + each, 0);
  let left = total;
  return weights.map((each) => {
    const part = Math.floor((left * each) / weight);
    weight -= each;
    left -= part;
    return part;
  });
}
