/** The URLs of an import in notifications: for programs in webhooks, for people in mails. */
import { importScreenPath, packageImportPath } from '../domain/ids.ts';

/** URL of an import; null if no public URL is configured. */
export type ImportUrl = (importId: number) => string | null;

/** In the API, which needs a token. @param publicUrl the API's base URL for clients, base path included; null if not configured */
export function importUrlAt(publicUrl: string | null): ImportUrl {
  return (importId) => publicUrl && withoutSlash(publicUrl) + packageImportPath(importId);
}

/** On the web page, which asks for a login. @param publicUrl as of `importUrlAt` */
export function importScreenAt(publicUrl: string | null): ImportUrl {
  return (importId) => publicUrl && withoutSlash(publicUrl) + importScreenPath(importId);
}

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
