/** One client's imports that ended on a day as one mail. Pure: data in, mail out. */
import { createHash } from 'node:crypto';
import { count, escapeHtml } from '../../common/text.ts';
import type { ImportOfDay } from '../../domain/package-import.ts';
import type { ImportUrl } from '../import-urls.ts';
import type { MailContent } from './mailer.ts';
import { mailPage, nameLine } from './texts.ts';

interface Digest {
  clientId: string;
  /** UTC day, such as 2026-01-31. */
  day: string;
  /** The first imports of the day, as many as a mail takes. Imports that need action come first. */
  imports: ImportOfDay[];
  total: number;
}

/**
 * Message-ID of the mail: fixed per client and day, so that mail clients recognise a second delivery as the same mail.
 */
export function digestMessageId(clientId: string, day: string, mailDomain: string): string {
  // A client id may contain any character.
  const client = createHash('sha256').update(clientId).digest('hex').slice(0, 32);
  return `<package-imports-${day}-${client}@${mailDomain}>`;
}

const STYLE = `h1{font-size:1.3rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top;border-bottom:1px solid #dde1e8}`;

/** @param importScreen URL of an import on the web page */
export function renderDigest(
  { clientId, day, imports, total }: Digest,
  importScreen: ImportUrl,
): MailContent {
  const subject = `Package imports of ${day}: ${count(total, 'import')} of ${nameLine(clientId)}`;
  const more = total - imports.length;
  const notes =
    more > 0
      ? [
          `${count(more, 'more import')} ended on that day. To list the imports that were uploaded on it: package-import list --from ${day} --to ${day} --limit 200`,
        ]
      : [];
  const rows = imports.map((one) => ({
    id: one.importId,
    name: nameLine(one.fileName),
    what: outcomeOf(one),
    url: importScreen(one.importId),
  }));
  const lines = [
    `${subject}.`,
    '',
    ...rows.flatMap(({ id, name, what, url }) => [
      `  ${id}  ${name}`,
      `    ${what}`,
      ...(url === null ? [] : [`    ${url}`]),
    ]),
    ...notes.flatMap((note) => ['', note]),
  ];
  const cells = rows.map(({ id, name, what, url }) => {
    const link = url === null ? id : `<a href="${escapeHtml(url)}">${id}</a>`;
    return `<tr><td>${link}</td><td>${escapeHtml(name)}</td><td>${what}</td></tr>`;
  });
  const body = [
    `<h1>${escapeHtml(subject)}</h1>`,
    `<table><tr><th>Import</th><th>Package</th><th>Outcome</th></tr>${cells.join('')}</table>`,
    ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
  ];
  return { subject, text: `${lines.join('\n')}\n`, html: mailPage(subject, STYLE, body.join('\n')) };
}

function outcomeOf({ status, inserted, notInserted, refusedFiles }: ImportOfDay): string {
  if (status === 'failed') return 'could not be read';
  const counts = `${inserted} inserted, ${notInserted} not inserted, ${count(refusedFiles, 'file')} refused`;
  return status === 'cancelled' ? `cancelled: ${counts}` : counts;
}
