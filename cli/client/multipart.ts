/** The bytes around a file in a multipart body (RFC 7578), so that the file itself can be streamed. */
export interface Framing {
  contentType: string;
  /** Text parts, and the headers of the file's part. */
  head: Buffer;
  tail: Buffer;
}

/**
 * Uses the encoder of `fetch`, which works like every browser: quotes and line breaks of the file name are
 * percent-encoded, other characters are UTF-8. The file comes last, so that the gateway knows the text before it.
 */
export async function frameFile(
  fileName: string,
  fields: Readonly<Record<string, string>>,
): Promise<Framing> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([], { type: 'application/zip' }), fileName);
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  const boundary = /boundary=(.+)$/.exec(contentType)?.[1] ?? '';
  const bytes = Buffer.from(await encoded.arrayBuffer());
  const fileGoesTo = bytes.lastIndexOf(`\r\n--${boundary}--`);
  return { contentType, head: bytes.subarray(0, fileGoesTo), tail: bytes.subarray(fileGoesTo) };
}
