/** The address of the page, and the settings that the gateway serves. */

/** Path of the page with a slash at its end, `/app/` or `/prefix/app/`. */
export const ROOT = document.querySelector<HTMLMetaElement>('meta[name="page-root"]')?.content ?? '/app/';

/** The prefix of all paths of the API: empty, or `/prefix`. */
export const API_ROOT = ROOT.replace(/\/app\/$/, '');

/** The path of a screen. @param path as in `imports/12` */
export const to = (path: string): string => ROOT + path;

export interface Settings {
  version: string;
  issuer: string;
  client_id: string;
  scope: string;
  audience: string;
  permissions_claim: string | null;
  temporal: { ui_url: string; namespace: string } | null;
  max_upload_bytes: number;
  /** Null in a real installation: only `npm start` has the sample package and the client of the examples. */
  trial: { token_url: string; mailbox_url: string | null } | null;
}

let known: Settings | undefined;

/** Loads them once, at the start. @throws Error when the gateway does not answer */
export async function loadSettings(): Promise<Settings> {
  const response = await fetch(to('config.json'));
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  known = (await response.json()) as Settings;
  return known;
}

/** @throws Error before they are loaded */
export function settings(): Settings {
  if (!known) throw new Error('The settings are not loaded.');
  return known;
}
