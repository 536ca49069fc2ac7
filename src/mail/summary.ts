/** The text and the HTML of the summary e-mail (interface §6). Pure: data in, mail out. */
import { count, escapeHtml } from '../domain/text.ts';
import { type Link, linkLines, linkRows } from './links.ts';
import { commentLine, nameLine, reasonLine } from './one-line.ts';
import { type Shortened, shortened, WARNINGS_SHOWN } from './shortened.ts';
import type { Summary, SummaryFile, SummaryProduct } from './summary-data.ts';
import type { Table } from './table.ts';

export {
  PRODUCT_OUTCOMES,
  type ProductOutcome,
  type Summary,
  type SummaryCounts,
  type SummaryProduct,
} from './summary-data.ts';
export { firstFiles, firstProducts } from './table.ts';

export interface SummaryContent {
  subject: string;
  text: string;
  html: string;
  attachments: Table[];
}

/** However many products there are, a mail of less than 1 MB. */
export function renderSummary(received: Summary, links: readonly Link[] = []): SummaryContent {
  const summary = headInSingleLines(received);
  const all = shortened(summary);
  // Only what is shown: of the rest there may be a hundred times as much.
  const short = { ...all, shown: inSingleLines(all.shown) };
  return {
    subject: subjectOf(summary),
    text: renderText(summary, short, links),
    html: renderHtml(summary, short, links),
    attachments: short.table ? [short.table] : [],
  };
}

/** One line with the counts: the subject's tail and the mail's first sentence. */
function headline({ counts: { products, failedFiles, skippedFiles } }: Summary): string {
  const parts = [
    `${products.inserted} inserted`,
    `${products.failed} failed`,
    ...(products['not queued'] > 0 ? [`${products['not queued']} not queued`] : []),
    ...(products.unfinished > 0 ? [`${products.unfinished} unfinished`] : []),
    `${count(failedFiles, 'file')} refused`,
    `${count(skippedFiles, 'file')} skipped`,
  ];
  return parts.join(', ');
}

function subjectOf(summary: Summary): string {
  return `Package import ${summary.importId}: ${headline(summary)}`;
}

function intro(summary: Summary): [string, string][] {
  return [
    ['Package', summary.fileName],
    ['Uploaded', summary.uploadedAt.toISOString()],
    ['Import', String(summary.importId)],
    ...(summary.comment === null ? [] : [['Comment', summary.comment] as [string, string]]),
    ...(summary.remark === null ? [] : [['Note', summary.remark] as [string, string]]),
  ];
}

function detailOf({ outcome, caseId, reason }: SummaryProduct): string {
  if (outcome === 'inserted') return caseId === null ? '' : `case ${caseId}`;
  return reason ?? '';
}

function warningsOf({ warnings }: SummaryProduct): string[] {
  const more = warnings.length - WARNINGS_SHOWN;
  return more > 0 ? [...warnings.slice(0, WARNINGS_SHOWN), `… and ${count(more, 'more warning')}`] : warnings;
}

function renderText(summary: Summary, { shown, leftOut }: Shortened, links: readonly Link[]): string {
  const lines = [`Package import ${summary.importId} has finished: ${headline(summary)}.`, ''];
  lines.push(
    ...intro(summary).map(([label, value]) => `${`${label}:`.padEnd(10)}${value}`),
    ...linkLines(links),
    '',
  );
  if (leftOut !== null) lines.push(leftOut, '');
  lines.push(summary.products.length === 0 ? 'No product was created from this package.' : 'Products', '');
  for (const product of shown.products) {
    lines.push(`  ${product.productId}  ${product.outcome}  ${detailOf(product)}`.trimEnd());
    lines.push(`    ${product.productType} (submission ${product.submissionId})`);
    lines.push(...warningsOf(product).map((warning) => `    warning: ${warning}`));
  }
  for (const { title, files } of fileLists(shown)) {
    lines.push('', title, '', ...files.map(({ xmlFile, reason }) => `  ${xmlFile}: ${reason}`));
  }
  return `${lines.join('\n')}\n`;
}

function renderHtml(summary: Summary, { shown, leftOut }: Shortened, links: readonly Link[]): string {
  const facts = intro(summary).map(
    ([label, value]) => `<tr><th>${label}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const lists = fileLists(shown).map(
    ({ title, files }) =>
      `<h2>${title}</h2><table class="list"><tr><th>File</th><th>Reason</th></tr>${files
        .map(
          ({ xmlFile, reason }) =>
            `<tr><td><code>${escapeHtml(xmlFile)}</code></td><td>${escapeHtml(reason)}</td></tr>`,
        )
        .join('')}</table>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subjectOf(summary))}</title><style>
body{font:14px/1.45 system-ui,sans-serif;color:#1d2433;max-width:60rem;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:1.6rem}
table{border-collapse:collapse}th{text-align:left;font-weight:600;padding:.3rem 1rem .3rem 0;vertical-align:top}
td{padding:.3rem 1rem .3rem 0;vertical-align:top}.list td,.list th{border-bottom:1px solid #dde1e8}
.inserted{color:#12703b}.failed{color:#b3261e}.not-queued,.unfinished{color:#8a5a00}.warning{color:#8a5a00;font-size:.85rem}
</style></head><body>
<h1>Package import ${summary.importId}: ${escapeHtml(headline(summary))}</h1>
<table>${facts.join('')}${linkRows(links)}</table>
${leftOut === null ? '' : `<p>${escapeHtml(leftOut)}</p>`}
${productTable(shown.products)}
${lists.join('\n')}
</body></html>
`;
}

function productTable(products: SummaryProduct[]): string {
  if (products.length === 0) return '<p>No product was created from this package.</p>';
  const rows = products.map((product) => {
    const warnings = warningsOf(product).map(
      (warning) => `<div class="warning">⚠ ${escapeHtml(warning)}</div>`,
    );
    return `<tr><td><code>${escapeHtml(product.productId)}</code></td><td>${escapeHtml(product.productType)}</td><td class="${product.outcome.replace(' ', '-')}">${product.outcome}</td><td>${escapeHtml(detailOf(product))}${warnings.join('')}</td></tr>`;
  });
  return `<h2>Products</h2><table class="list"><tr><th>Product</th><th>Type</th><th>Outcome</th><th>Case or reason</th></tr>${rows.join('')}</table>`;
}

function fileLists({
  failedFiles,
  skippedFiles,
  unreadableFiles,
}: Summary): { title: string; files: SummaryFile[] }[] {
  return [
    { title: 'Files that were refused', files: failedFiles },
    { title: 'Files that were skipped', files: skippedFiles },
    { title: 'Attachments and submitters that could not be read', files: unreadableFiles },
  ].filter(({ files }) => files.length > 0);
}

/** The same summary, with the comment as one short line and every other text as one line. */
function headInSingleLines(summary: Summary): Summary {
  const { fileName, comment, remark } = summary;
  return {
    ...summary,
    fileName: nameLine(fileName),
    comment: comment === null ? null : commentLine(comment),
    remark: remark === null ? null : reasonLine(remark),
  };
}

function inSingleLines(summary: Summary): Summary {
  return {
    ...summary,
    products: summary.products.map(productInLines),
    failedFiles: summary.failedFiles.map(fileInLines),
    skippedFiles: summary.skippedFiles.map(fileInLines),
    unreadableFiles: summary.unreadableFiles.map(fileInLines),
  };
}

function productInLines(product: SummaryProduct): SummaryProduct {
  const { productId, productType, caseId, reason, warnings } = product;
  return {
    ...product,
    productId: nameLine(productId),
    productType: nameLine(productType),
    caseId: caseId === null ? null : nameLine(caseId),
    reason: reason === null ? null : reasonLine(reason),
    warnings: warnings.map((warning, index) => (index < WARNINGS_SHOWN ? reasonLine(warning) : warning)),
  };
}

function fileInLines({ xmlFile, reason }: SummaryFile): SummaryFile {
  return { xmlFile: nameLine(xmlFile), reason: reasonLine(reason) };
}
