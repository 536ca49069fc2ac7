/** The text part of the summary. */
import { type Link, linkLines } from './links.ts';
import type { Shortened } from './shortened.ts';
import type { Summary, SummaryProduct } from './summary-data.ts';
import {
  type Command,
  commandsFor,
  detailOf,
  headline,
  intro,
  NO_PRODUCT,
  sectionsOf,
  warningsOf,
} from './summary-parts.ts';

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
  if (commands.length > 0) lines.push('', 'What to do', '', ...commandLines(commands));
  if (leftOut !== null) lines.push('', leftOut);
  if (summary.products.length === 0) lines.push('', NO_PRODUCT);
  for (const section of sectionsOf(shown)) {
    lines.push('', section.title, '');
    if ('products' in section) lines.push(...section.products.flatMap(productLines));
    else lines.push(...section.files.map(({ xmlFile, reason }) => `  ${xmlFile}: ${reason}`));
  }
  return `${lines.join('\n')}\n`;
}

function commandLines(commands: Command[]): string[] {
  const width = Math.max(...commands.map(({ command }) => command.length)) + 2;
  return commands.map(({ command, what }) => `  ${command.padEnd(width)}${what}`);
}

function productLines(product: SummaryProduct): string[] {
  return [
    `  ${product.productId}  ${product.outcome}  ${detailOf(product)}`.trimEnd(),
    `    ${product.productType} (submission ${product.submissionId})`,
    ...warningsOf(product).map((warning) => `    warning: ${warning}`),
  ];
}
