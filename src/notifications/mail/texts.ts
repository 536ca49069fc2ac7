/** Lines and links of mails. */
import { escapeHtml, excerpt } from '../../common/text.ts';
import { packageImportPath, packageImportWorkflowId } from '../../domain/ids.ts';

/**
 * Maximum lengths in characters. Texts of clients, files and the regulator become one line each, with every character
 * visible. Otherwise a comment or a file name could forge lines of the mail, or reverse the text direction.
 */
const LONGEST = { comment: 200, name: 300, reason: 500, remark: 1_000 };

/** A comment as one short line. */
export const commentLine = (comment: string) => excerpt(comment.trim(), LONGEST.comment);
/** Names of files, ids, types. */
export const nameLine = (name: string) => excerpt(name, LONGEST.name);
/** Reasons and warnings. */
export const reasonLine = (reason: string) => excerpt(reason, LONGEST.reason);
export const remarkLine = (remark: string) => excerpt(remark, LONGEST.remark);

export interface Link {
  label: string;
  url: string;
}

/** URL of an import in the API. @param publicUrl the API's base URL for clients, base path included; null if not configured */
export function importUrlAt(publicUrl: string | null): (importId: number) => string | null {
  return (importId) => publicUrl && bare(publicUrl) + packageImportPath(importId);
}

export type SummaryLinks = (record: { id: number; uuid: string }, hasRepairPack: boolean) => Link[];

/**
 * @param publicUrl the API's base URL for clients, base path included; null for no links to it
 * @param temporalUiUrl URL of the Temporal Web UI for operators; null for none
 */
export function createSummaryLinks({
  publicUrl,
  temporalUiUrl,
  namespace,
}: {
  publicUrl: string | null;
  temporalUiUrl: string | null;
  namespace: string;
}): SummaryLinks {
  const importUrl = importUrlAt(publicUrl);
  return ({ id, uuid }, hasRepairPack) => {
    const ofImport = importUrl(id);
    const workflow = `/namespaces/${encodeURIComponent(namespace)}/workflows/${packageImportWorkflowId(uuid)}`;
    return [
      ...(ofImport ? [{ label: 'Result', url: ofImport }] : []),
      ...(ofImport && hasRepairPack ? [{ label: 'Repair', url: `${ofImport}/repair-pack` }] : []),
      ...(temporalUiUrl ? [{ label: 'Run', url: bare(temporalUiUrl) + workflow }] : []),
    ];
  };
}

export function linkLines(links: readonly Link[]): string[] {
  return links.map(({ label, url }) => `${`${label}:`.padEnd(10)}${url}`);
}

export function linkRows(links: readonly Link[]): string {
  return links
    .map(({ label, url }) => {
      const safe = escapeHtml(url);
      return `<tr><th>${label}</th><td><a href="${safe}">${safe}</a></td></tr>`;
    })
    .join('');
}

function bare(url: string): string {
  return url.replace(/\/+$/, '');
}
