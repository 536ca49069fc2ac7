/** The URLs of an import in notifications: for programs in webhooks, for people in mails. */
import { withoutSlash } from '../common/text.ts';
import { importScreenPath, packageImportPath } from '../domain/ids.ts';

/** URL of an import; null if no public URL is configured. */
export type ImportUrl = (importId: number) => string | null;

/**
 * `importUrl` leads to the API, which needs a token, and `importScreen` to the web page, which asks for a login.
 *
 * @param publicUrl the API's base URL for clients, base path included; null if not configured
 */
export function importUrlsAt(publicUrl: string | null): Record<'importUrl' | 'importScreen', ImportUrl> {
  const base = publicUrl && withoutSlash(publicUrl);
  return {
    importUrl: (importId) => base && base + packageImportPath(importId),
    importScreen: (importId) => base && base + importScreenPath(importId),
  };
}
