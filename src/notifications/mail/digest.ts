/** One client's imports of a day as one mail. Pure: data in, mail out. */
import { createHash } from 'node:crypto';
import { count, escapeHtml } from '../../common/text.ts';
import type { ImportOfDay } from '../../domain/package-import.ts';
import type { ImportUrl } from '../import-urls.ts';
import type { MailContent } from './mailer.ts';
import { nameLine } from './texts.ts';

interface Digest {
  clientId: string;
  /** UTC day, such as 2026-01-31. */
  day: string;
  /** The first imports of the day, as many as a mail takes. Imports that need action come first. */
  imports: ImportOfDay[];
  total: number;
}

/** Message-ID of the mail: fixed per client and day, so that mail clients recognise a second delivery as the same mail. */
export function digestMessageId(clientId: string, day: string, mailDomain: string): string {
  // A client id may contain any character.
  const client = createHash('sha256').update(clientId).digest('hex').slice(0, 32);
  return `<package-imports-${day}-${client}@${mailDomain}>`;
}

/** @param importScreen URL of an import on the web page */
export function renderDigest(
  { clientId, day, imports, total }: Digest,
  importScreen: ImportUrl,
): MailContent {
  const subject = `Package imports of ${day}: ${count(total, 'import')} of ${nameLine(clientId)}`;
  const more = total - imports.length;
  const rest =
    more > 0
      ? `${count(more, 'more import')} of the day are not shown. To list the day: package-import list --from ${day} --to ${day} --limit 200`
      : null;
  const rows = imports.map((one) => ({ one, what: outcomeOf(one), url: importScreen(one.importId) }));
  return {
    subject,
    text: `${[
      `${subject}.`,
      '',
      ...rows.flatMap(({ one, what, url }) => [
        `  ${one.importId}  ${nameLine(one.fileName)}`,
        `    ${what}`,
        ...(url === null ? [] : [`    ${url}`]),
      ]),
      ...(rest === null ? [] : ['', rest]),
    ].join('\n')}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title><style>
body{font:14px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1d2433;background:#fff;max-width:60rem;margin:1.5rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.3rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top;border-bottom:1px solid #dde1e8}
</style></head><body>
<h1>${escapeHtml(subject)}</h1>
<table><tr><th>Import</th><th>Package</th><th>Outcome</th></tr>${rows
      .map(
        ({ one, what, url }) =>
          `<tr><td>${url === null ? one.importId : `<a href="${escapeHtml(url)}">${one.importId}</a>`}</td><td>${escapeHtml(nameLine(one.fileName))}</td><td>${what}</td></tr>`,
      )
      .join('')}</table>
${rest === null ? '' : `<p>${escapeHtml(rest)}</p>`}
</body></html>
`,
  };
}

function outcomeOf({ status, inserted, notInserted, refusedFiles }: ImportOfDay): string {
  if (status === 'failed') return 'could not be read';
  const counts = `${inserted} inserted, ${notInserted} not inserted, ${count(refusedFiles, 'file')} refused`;
  return status === 'cancelled' ? `cancelled: ${counts}` : counts;
}
