/** Product files of submissions, as text. */
import { errorOf } from '../api/api-error.ts';
import { jsonOf, send } from '../api/client.ts';

const DECLARATION_BYTES = 200;

/** @throws ApiError, with status 410 when retention has removed the file */
export async function productFile(submissionId: number, signal: AbortSignal): Promise<string> {
  const response = await send('getSubmissionXml', { params: { id: submissionId }, signal });
  if (!response.ok) throw errorOf(response, await jsonOf(response));
  return decodeXml(new Uint8Array(await response.arrayBuffer()));
}

/**
 * Decodes by the byte order mark, else by the declaration, else as UTF-8. Unreadable bytes become replacement
 * characters.
 */
export function decodeXml(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES));
  const [, declared = 'utf-8'] = /^\W*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head) ?? [];
  try {
    return new TextDecoder(declared).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
