/** Lines, links and the page of mails. */
import { escapeHtml, excerpt, withoutSlash } from '../../common/text.ts';
import { packageImportWorkflowId } from '../../domain/ids.ts';
import type { ImportUrl } from '../import-urls.ts';

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

export type SummaryLinks = (record: { id: number; uuid: string }) => Link[];

/**
 * The web page has the result, and downloads of the report and of the repair pack.
 *
 * @param importScreen URL of an import on the web page; null for no link to it
 * @param temporalUiUrl URL of the Temporal Web UI for operators; null for none
 */
export function createSummaryLinks({
  importScreen,
  temporalUiUrl,
  namespace,
}: {
  importScreen: ImportUrl;
  temporalUiUrl: string | null;
  namespace: string;
}): SummaryLinks {
  return ({ id, uuid }) => {
    const result = importScreen(id);
    const workflow = `/namespaces/${encodeURIComponent(namespace)}/workflows/${packageImportWorkflowId(uuid)}`;
    return [
      ...(result ? [{ label: 'Result', url: result }] : []),
      ...(temporalUiUrl ? [{ label: 'Run', url: withoutSlash(temporalUiUrl) + workflow }] : []),
    ];
  };
}

/**
 * The HTML of a mail. It loads nothing from elsewhere, and is readable on a phone: long words break.
 *
 * @param style of this kind of mail
 */
export function mailPage(title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>
body{font:14px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1d2433;background:#fff;max-width:60rem;margin:1.5rem auto;padding:0 1rem;overflow-wrap:anywhere}
${style}
</style></head><body>
${body}
</body></html>
`;
}
