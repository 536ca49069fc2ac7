/**
 * A PDF of one page and exactly the wanted size: the rest is a stream of bytes that do not compress, as
 * pictures are. Made piece by piece, never whole.
 */
import type { Random } from './random.ts';

/** 57 bytes are one line of base64, so that a piece is a whole number of lines. */
const PIECE_BYTES = 57 * 1024;
const DIGITS = 10;

/** @param bytes the exact size; less than about a kilobyte gives the beginning of a document only */
export function* pdfDocument(title: string, bytes: number, random: Random): Generator<Buffer> {
  const smallest = parts(title, 0);
  const fixed = smallest.head.length + smallest.tail.length;
  if (bytes < fixed) {
    yield Buffer.concat([smallest.head, smallest.tail]).subarray(0, bytes);
    return;
  }
  const filler = bytes - fixed;
  const { head, tail } = parts(title, filler);
  yield head;
  for (let left = filler; left > 0; left -= PIECE_BYTES) yield random.bytes(Math.min(left, PIECE_BYTES));
  yield tail;
}

/** Numbers that depend on the size are padded, so that the parts are as long for every size. */
function parts(title: string, filler: number): { head: Buffer; tail: Buffer } {
  const padded = (value: number) => String(value).padStart(DIGITS, '0');
  const page = `BT /F1 18 Tf 72 770 Td (${title.replace(/[^A-Za-z0-9 .-]/g, '?')}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
  ];
  let text = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  offsets.push(text.length);
  text += `6 0 obj\n<< /Type /EmbeddedFile /Length ${padded(filler)} >>\nstream\n`;
  const end = '\nendstream\nendobj\n';
  const table = offsets.map((offset) => `${padded(offset)} 00000 n \n`).join('');
  const tail =
    `${end}xref\n0 7\n0000000000 65535 f \n${table}` +
    `trailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n${padded(text.length + filler + end.length)}\n%%EOF\n`;
  // One byte per character: offsets are counted in characters.
  return { head: Buffer.from(text, 'latin1'), tail: Buffer.from(tail, 'latin1') };
}
