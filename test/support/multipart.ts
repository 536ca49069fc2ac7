/** HTTP requests as text, and multipart bodies. */

const BOUNDARY = 'frontier';
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
export const IMPORT_PATH = '/regulator/package-import';

/** A request's head; `undefined` leaves a header out. */
export function head(
  headers: Record<string, string | number | undefined>,
  { method = 'POST', path = IMPORT_PATH, version = '1.1' } = {},
): string {
  const all = Object.entries({ Host: 'gateway', ...headers }).filter(([, value]) => value !== undefined);
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/${version}\r\n${lines.join('')}\r\n`;
}

/** Headers of an upload. */
export function uploadHeaders(token: string | null, length: number | 'chunked') {
  return {
    ...(token !== null && { Authorization: `Bearer ${token}` }),
    'Content-Type': MULTIPART,
    ...(length === 'chunked' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length }),
  };
}

export function fieldPart(name: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

export function fileStart(fileName = 'package.zip', name = 'file'): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: application/zip\r\n\r\n`;
}

/** The bytes after the content of a file, or after the value of an unfinished field. */
export const PART_END = '\r\n';
export const BODY_END = `--${BOUNDARY}--\r\n`;

/** A whole multipart body with a file of so many bytes and further parts. */
export function multipartBody(fileBytes: number, { before = '', after = '', fileName = 'package.zip' } = {}) {
  return Buffer.concat([
    Buffer.from(before + fileStart(fileName)),
    Buffer.alloc(fileBytes, 'x'),
    Buffer.from(PART_END + after + BODY_END),
  ]);
}

/** One chunk of a chunked body. */
export function chunk(bytes: string | Uint8Array): Buffer {
  const buffer = Buffer.from(bytes);
  return Buffer.concat([Buffer.from(`${buffer.length.toString(16)}\r\n`), buffer, Buffer.from('\r\n')]);
}

export const LAST_CHUNK = '0\r\n\r\n';
