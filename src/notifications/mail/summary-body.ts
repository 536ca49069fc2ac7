/** The text and the HTML of the summary, from its parts. */
import { escapeHtml } from '../../common/text.ts';
import type { SummaryProduct, SummaryRow } from './summary-rows.ts';
import { type Link, mailPage } from './texts.ts';

export interface Command {
  /** For the command line. */
  command: string;
  what: string;
}

export interface SummaryContent {
  subject: string;
  title: string;
  headline: string;
  /** Pairs of names and values. */
  facts: readonly (readonly [string, string])[];
  links: readonly Link[];
  commands: readonly Command[];
  /** Sentences about the lists. */
  notes: readonly string[];
  /** The rows by outcome, without empty sections. */
  sections: readonly { title: string; rows: SummaryRow[] }[];
}

export function summaryText(content: SummaryContent): string {
  const { title, headline, facts, links, commands, notes, sections } = content;
  const pairs = [...facts, ...links.map(({ label, url }) => [label, url] as const)];
  const width = Math.max(...commands.map(({ command }) => command.length)) + 2;
  const steps = commands.map(({ command, what }) => `  ${command.padEnd(width)}${what}`);
  const lines = [
    `${title}: ${headline}.`,
    '',
    ...pairs.map(([label, value]) => `${`${label}:`.padEnd(10)}${value}`),
    ...(steps.length > 0 ? ['', 'Next steps', '', ...steps] : []),
    ...notes.flatMap((note) => ['', note]),
    ...sections.flatMap((section) => ['', section.title, '', ...section.rows.flatMap(rowLines)]),
  ];
  return `${lines.join('\n')}\n`;
}

function rowLines(row: SummaryRow): string[] {
  const { subject, outcome, reason, product } = row;
  if (!product) return [`  ${subject}: ${reason}`];
  return [
    `  ${subject}  ${outcome}  ${detailOf(row)}`.trimEnd(),
    `    ${product.productType} (submission ${product.submissionId})`,
    ...product.warnings.map((warning) => `    warning: ${warning}`),
  ];
}

/** The case of an inserted product, or the reason. */
function detailOf({ outcome, reason, product }: SummaryRow): string {
  if (outcome === 'inserted') return product?.caseId == null ? '' : `case ${product.caseId}`;
  return reason ?? '';
}

/** Columns keep their share on a phone. */
const STYLE = `h1{font-size:1.3rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}
.headline{font-size:1.05rem;margin:0 0 1rem;color:#4a5468}
table{border-collapse:collapse}th{text-align:left;font-weight:600;padding:.3rem 1rem .3rem 0;vertical-align:top;white-space:nowrap}
td{padding:.3rem 1rem .3rem 0;vertical-align:top}.list{width:100%}.list td,.list th{border-bottom:1px solid #dde1e8}
.first{width:11rem}code{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.do{background:#f3f5f9;border-left:4px solid #5b6b8c;padding:.6rem 1rem;margin:1.2rem 0}.do td{padding:.15rem 1.2rem .15rem 0}.do code{white-space:nowrap}
.type{color:#4a5468;font-size:.85rem}
.inserted{color:#12703b}.failed{color:#b3261e}.not-queued,.unfinished,.warning{color:#8a5a00}.warning{font-size:.85rem}`;

/** Escapes every foreign text. */
export function summaryHtml(content: SummaryContent): string {
  const { subject, title, headline, facts, links, commands, notes, sections } = content;
  const about = [
    ...facts.map(([label, value]) => `<tr><th>${label}</th><td>${escapeHtml(value)}</td></tr>`),
    ...links.map(({ label, url }) => {
      const safe = escapeHtml(url);
      return `<tr><th>${label}</th><td><a href="${safe}">${safe}</a></td></tr>`;
    }),
  ];
  const steps = commands.map(
    ({ command, what }) => `<tr><td><code>${command}</code></td><td>${what}</td></tr>`,
  );
  const lists = sections.map(({ title: heading, rows }) => {
    const [first, detail] = rows[0]?.product ? ['Product', 'Case or reason'] : ['File', 'Reason'];
    return `<h2>${heading}</h2><table class="list"><tr><th class="first">${first}</th><th>${detail}</th></tr>${rows.map(tableRow).join('')}</table>`;
  });
  const body = [
    `<h1>${title}</h1>`,
    `<p class="headline">${escapeHtml(headline)}</p>`,
    `<table>${about.join('')}</table>`,
    ...(steps.length > 0
      ? [`<div class="do"><strong>Next steps</strong><table>${steps.join('')}</table></div>`]
      : []),
    ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
    ...lists,
  ];
  return mailPage(subject, STYLE, body.join('\n'));
}

function tableRow(row: SummaryRow): string {
  return `<tr><td><code>${escapeHtml(row.subject)}</code></td><td>${row.product ? productCell(row, row.product) : escapeHtml(detailOf(row))}</td></tr>`;
}

function productCell(row: SummaryRow, { productType, warnings }: SummaryProduct): string {
  const { outcome } = row;
  const warned = warnings.map((warning) => `<div class="warning">⚠ ${escapeHtml(warning)}</div>`);
  return `<span class="${outcome.replace(' ', '-')}">${outcome}</span> ${escapeHtml(detailOf(row))}<div class="type">${escapeHtml(productType)}</div>${warned.join('')}`;
}
