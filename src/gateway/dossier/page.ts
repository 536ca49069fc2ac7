/** The readable page of a dossier: one HTML file without scripts, for the screen and for paper. */
import { count, escapeHtml } from '../../common/text.ts';
import { MANIFEST, MANIFEST_SIGNATURE } from '../../contract/dossier.ts';
import { reasonText } from '../../contract/reasons.ts';
import { INSERT_STEPS, STEP_LABELS } from '../../contract/steps.ts';
import type { DossierScope } from '../../database/repositories/dossiers.ts';
import type { Json } from '../../domain/product.ts';
import type { DossierEntry } from './entries.ts';

/** The beginning of the page, before the submissions. */
interface DossierHead extends Pick<DossierScope, 'productId' | 'submissions' | 'before'> {
  madeAt: Date;
  requestedBy: string;
  isSigned: boolean;
  /** Whether the events show who has read. */
  withReads: boolean;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
body { max-width: 62rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
a { color: light-dark(#0757c2, #58a6ff); }
h1, h2, h3 { line-height: 1.25; break-after: avoid; }
h2 { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid light-dark(#d1d9e0, #30363d); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
dl { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .2rem 1rem; margin: 0; }
dt, th { font-weight: 600; text-align: left; }
th, time { white-space: nowrap; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .5rem .25rem 0; vertical-align: top; border-top: 1px solid light-dark(#d1d9e0, #30363d); }
tr { break-inside: avoid; }
code { font: .85em ui-monospace, Menlo, Consolas, monospace; }
.gone { color: light-dark(#a40e26, #ff8a80); font-weight: 600; }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
@media screen and (max-width: 40rem) {
  dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .4rem; }
  thead { position: absolute; clip-path: inset(50%); }
  tr, td { display: block; }
  td { border: 0; padding: 0; }
  td:empty { display: none; }
  td::before { content: attr(data-label) ': '; font-weight: 600; }
  tr { border-top: 1px solid light-dark(#d1d9e0, #30363d); padding: .35rem 0; }
}
@media print {
  :root { color-scheme: light; font-size: 10pt; }
  body { max-width: none; padding: 0; }
  a { color: inherit; text-decoration: none; }
}
@page { margin: 18mm; }`;

export async function* pageOf(
  head: DossierHead,
  entries: AsyncIterable<DossierEntry>,
): AsyncGenerator<string> {
  const title = `Dossier of product ${head.productId}`;
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>
<p>${notes(head).map(escapeHtml).join('<br>\n')}</p>
`;
  for await (const entry of entries) yield* sectionOf(entry);
  yield '</main></body></html>\n';
}

function notes({ madeAt, requestedBy, isSigned, submissions, before, withReads }: DossierHead): string[] {
  return [
    `Made at ${timeOf(madeAt.toISOString())} for ${requestedBy}. ${count(submissions, 'submission')}, newest first. All times are UTC.`,
    isSigned
      ? `${MANIFEST} has the digest of every file, and ${MANIFEST_SIGNATURE} is its signature. Check both with: package-import dossier verify <file>`
      : `${MANIFEST} has the digest of every file. It is not signed, because the service has no signing key. So it does not prove who made this dossier.`,
    'A product file is stored as it was uploaded. The service sends its content in six parts, which content.json holds. The regulator was called once for each part and attachment: the time of a part is recorded only for its attachments.',
    ...(before === null
      ? []
      : [`Older submissions are in another dossier: request it with before=${before}.`]),
    ...(withReads ? [] : ['The events leave out who has read a record: only operators see that.']),
  ];
}

async function* sectionOf(entry: DossierEntry): AsyncGenerator<string> {
  const { id, regulator_data: answer, queue_result: queued, product_file: file, warnings, reasons } = entry;
  yield `<section aria-labelledby="s${id}"><h2 id="s${id}">Submission ${id}: ${entry.status}</h2>
${facts({
  Case: entry.case_id ?? 'none',
  'Submitted (regulator)': answer.submission_date,
  'Modified (regulator)': answer.modified_date,
  'Submission type (regulator)': answer.submission_type,
  'Product type': answer.product_type,
  Comment: answer.submission_comment,
  Import: `${entry.zip_import_id.id}, ${entry.package_name}, uploaded by ${entry.client_id} at ${timeOf(entry.uploaded_at)}`,
  Recorded: timeOf(entry.created_at),
  Queued: queued ? `${timeOf(queued.at)}: ${queued.message ?? ''}` : 'no result',
  'Last change': timeOf(entry.updated_at),
  Failure: reasons.map(reasonText).join('\n'),
  Warnings: warnings.map(reasonText).join('\n'),
  UUID: entry.uuid,
})}
<h3>Product file and content</h3>
<table>${headOf(['File', 'SHA-256'])}<tbody>
${rowOf({ File: file.path ? `${link(file.path)} (${escapeHtml(file.name)})` : `${escapeHtml(file.name)} ${gone(entry.package_removed_at)}`, 'SHA-256': code(file.sha256) })}
${rowOf({ File: link(entry.content_file.path ?? ''), 'SHA-256': code(entry.content_file.sha256) })}
</tbody></table>
<h3>Steps</h3>
<table>${headOf(['Step', 'Accepted', 'Attachments sent'])}<tbody>
${INSERT_STEPS.map((step) => stepRow(entry, step)).join('\n')}
</tbody></table>
`;
  if (entry.attachments.length > 0) yield attachmentTable(entry);
  yield `<h3>Events</h3>\n<table>${headOf(['Time', 'Actor', 'Action', 'Detail'])}<tbody>\n`;
  for await (const { at, actor, action, detail } of entry.audit_events)
    yield `${rowOf({ Time: time(at), Actor: escapeHtml(actor), Action: escapeHtml(action), Detail: escapeHtml(detailText(detail)) })}\n`;
  yield '</tbody></table></section>\n';
}

function stepRow({ state, attachments }: DossierEntry, step: (typeof INSERT_STEPS)[number]): string {
  const times = attachments.flatMap((one) => (one.step === step && one.sent_at ? [time(one.sent_at)] : []));
  return rowOf({
    Step: STEP_LABELS[step],
    Accepted: state[step] ? 'yes' : 'no',
    'Attachments sent': [...new Set(times)].join('<br>'),
  });
}

function attachmentTable({ attachments, package_removed_at }: DossierEntry): string {
  const rows = attachments.map(({ attachment_id, file_name, size_bytes, sent_at, path, sha256 }) => {
    const name = file_name ?? attachment_id;
    const missing =
      file_name === null ? '<strong class="gone">never uploaded</strong>' : gone(package_removed_at);
    return rowOf({
      Attachment: path ? link(path, name) : `${escapeHtml(name)} ${missing}`,
      Bytes: String(size_bytes ?? ''),
      Sent: sent_at ? time(sent_at) : 'no',
      'SHA-256': code(sha256),
    });
  });
  return `<h3>Attachments</h3>
<table>${headOf(['Attachment', 'Bytes', 'Sent', 'SHA-256'])}<tbody>
${rows.join('\n')}
</tbody></table>
`;
}

function gone(removedAt: string | null): string {
  const when = removedAt === null ? '' : ` (package removed ${timeOf(removedAt)})`;
  return `<strong class="gone">not stored any more${when}</strong>`;
}

/** @param of texts that are not escaped; empty ones are left out */
function facts(of: Readonly<Record<string, string>>): string {
  const shown = Object.entries(of).filter(([, value]) => value !== '');
  return `<dl>${shown.map(([label, value]) => `<dt>${label}</dt><dd>${escapeHtml(value).replaceAll('\n', '<br>')}</dd>`).join('\n')}</dl>`;
}

function headOf(labels: readonly string[]): string {
  return `<thead><tr>${labels.map((label) => `<th scope="col">${label}</th>`).join('')}</tr></thead>`;
}

/** @param of HTML by label */
function rowOf(of: Readonly<Record<string, string>>): string {
  const cells = Object.entries(of).map(([label, html]) => `<td data-label="${label}">${html}</td>`);
  return `<tr>${cells.join('')}</tr>`;
}

const link = (path: string, text = path) => `<a href="${path}">${escapeHtml(text)}</a>`;
const code = (text: string | null) => (text === null ? '' : `<code>${text}</code>`);
const time = (iso: string) => `<time>${timeOf(iso)}</time>`;

/** `2026-11-25 14:32:21` */
function timeOf(iso: string | null): string {
  return iso?.slice(0, 19).replace('T', ' ') ?? '';
}

function detailText(detail: Json | null): string {
  if (detail === null || typeof detail !== 'object') return detail === null ? '' : String(detail);
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
