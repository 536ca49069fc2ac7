/** The address of the page, and the settings that the gateway serves. */
import type { PageSettings } from '../src/contract/page-settings.ts';

/** Path of the page with a slash at its end, `/app/` or `/prefix/app/`. */
export const ROOT = document.querySelector<HTMLMetaElement>('meta[name="page-root"]')?.content ?? '/app/';

/** The prefix of all paths of the API: empty, or `/prefix`. */
export const API_ROOT = ROOT.replace(/\/app\/$/, '');

/** The path of a screen. @param path as in `imports/12` */
export const to = (path: string): string => ROOT + path;

let known: PageSettings | undefined;

/** Loads them once, at the start. @throws Error when the gateway does not answer */
export async function loadSettings(): Promise<void> {
  const response = await fetch(to('config.json'));
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  known = (await response.json()) as PageSettings;
}

/** @throws Error before they are loaded */
export function settings(): PageSettings {
  if (!known) throw new Error('The settings are not loaded.');
  return known;
}
