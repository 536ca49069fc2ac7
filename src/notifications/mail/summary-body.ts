/** The text and the HTML of the summary. */

import { escapeHtml } from '../../common/text.ts';
import type { Shortened } from './shortened.ts';
import {
  type Command,
  commandsFor,
  detailOf,
  hasNoProduct,
  headline,
  intro,
  NO_PRODUCT,
  type Summary,
  type SummaryProduct,
  type SummaryRow,
  sectionsOf,
  subjectOf,
  warningsOf,
} from './summary-parts.ts';
import { type Link, linkLines, linkRows } from './texts.ts';

export function summaryText(
  summary: Summary,
  { shown, leftOut }: Pick<Shortened, 'shown' | 'leftOut'>,
  links: readonly Link[],
): string {
  const lines = [`Package import ${summary.importId} has finished: ${headline(summary)}.`, ''];
  lines.push(
    ...intro(summary).map(([label, value]) => `${`${label}:`.padEnd(10)}${value}`),
    ...linkLines(links),
  );
  const commands = commandsFor(summary);
  if (commands.length > 0) lines.push('', 'Next steps', '', ...commandLines(commands));
  if (leftOut !== null) lines.push('', leftOut);
  if (hasNoProduct(summary)) lines.push('', NO_PRODUCT);
  for (const { title, rows } of sectionsOf(shown)) lines.push('', title, '', ...rows.flatMap(rowLines));
  return `${lines.join('\n')}\n`;
}

function commandLines(commands: Command[]): string[] {
  const width = Math.max(...commands.map(({ command }) => command.length)) + 2;
  return commands.map(({ command, what }) => `  ${command.padEnd(width)}${what}`);
}

function rowLines(row: SummaryRow): string[] {
  const { subject, outcome, reason, product } = row;
  if (!product) return [`  ${subject}: ${reason}`];
  return [
    `  ${subject}  ${outcome}  ${detailOf(row)}`.trimEnd(),
    `    ${product.productType} (submission ${product.submissionId})`,
    ...warningsOf(product).map((warning) => `    warning: ${warning}`),
  ];
}

/** Also readable on a phone: long words break, and columns keep their share. */
const STYLE = `body{font:14px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1d2433;background:#fff;max-width:60rem;margin:1.5rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.3rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}
.headline{font-size:1.05rem;margin:0 0 1rem;color:#4a5468}
table{border-collapse:collapse}th{text-align:left;font-weight:600;padding:.3rem 1rem .3rem 0;vertical-align:top;white-space:nowrap}
td{padding:.3rem 1rem .3rem 0;vertical-align:top}.list{width:100%}.list td,.list th{border-bottom:1px solid #dde1e8}
.first{width:11rem}code{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.do{background:#f3f5f9;border-left:4px solid #5b6b8c;padding:.6rem 1rem;margin:1.2rem 0}.do td{padding:.15rem 1.2rem .15rem 0}.do code{white-space:nowrap}
.type{color:#4a5468;font-size:.85rem}
.inserted{color:#12703b}.failed{color:#b3261e}.not-queued,.unfinished,.warning{color:#8a5a00}.warning{font-size:.85rem}`;

/** Escapes every foreign text, and loads nothing from elsewhere. */
export function summaryHtml(
  summary: Summary,
  { shown, leftOut }: Pick<Shortened, 'shown' | 'leftOut'>,
  links: readonly Link[],
): string {
  const facts = intro(summary).map(
    ([label, value]) => `<tr><th>${label}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const sections = sectionsOf(shown).map(({ title, rows }) => {
    const [first, detail] = rows[0]?.product ? ['Product', 'Case or reason'] : ['File', 'Reason'];
    return `<h2>${title}</h2><table class="list"><tr><th class="first">${first}</th><th>${detail}</th></tr>${rows.map(tableRow).join('')}</table>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subjectOf(summary))}</title><style>
${STYLE}
</style></head><body>
<h1>Package import ${summary.importId} has finished</h1>
<p class="headline">${escapeHtml(headline(summary))}</p>
<table>${facts.join('')}${linkRows(links)}</table>
${whatToDo(summary)}
${leftOut === null ? '' : `<p>${escapeHtml(leftOut)}</p>`}
${hasNoProduct(summary) ? `<p>${NO_PRODUCT}</p>` : ''}
${sections.join('\n')}
</body></html>
`;
}

function whatToDo(summary: Summary): string {
  const rows = commandsFor(summary).map(
    ({ command, what }) => `<tr><td><code>${command}</code></td><td>${what}</td></tr>`,
  );
  return rows.length === 0
    ? ''
    : `<div class="do"><strong>Next steps</strong><table>${rows.join('')}</table></div>`;
}

function tableRow(row: SummaryRow): string {
  return `<tr><td><code>${escapeHtml(row.subject)}</code></td><td>${row.product ? productCell(row, row.product) : escapeHtml(detailOf(row))}</td></tr>`;
}

function productCell(row: SummaryRow, product: SummaryProduct): string {
  const { outcome } = row;
  const warnings = warningsOf(product).map(
    (warning) => `<div class="warning">⚠ ${escapeHtml(warning)}</div>`,
  );
  return `<span class="${outcome.replace(' ', '-')}">${outcome}</span> ${escapeHtml(detailOf(row))}<div class="type">${escapeHtml(product.productType)}</div>${warnings.join('')}`;
}
