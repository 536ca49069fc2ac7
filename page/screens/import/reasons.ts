/**
 * Parses a reason of the service: the place in the product file, the problem, the check that found it. A text
 * in another form stays whole. Pure.
 */
import type { Submission } from '../../../src/contract/types.ts';

export type Step = Exclude<keyof Submission['state'], 'extracted_data'>;

/** In the order in which they run, with their names for people. */
export const STEPS: readonly { step: Step; title: string; element: string }[] = [
  { step: 'init_validate', title: 'Case and submitter', element: 'Submitter' },
  { step: 'product_details', title: 'Product details', element: 'Product' },
  { step: 'product_presentation', title: 'Presentations', element: 'Product/Presentations' },
  { step: 'design', title: 'Design', element: 'Product/Design' },
  { step: 'ingredients', title: 'Ingredients', element: 'Product/Ingredients' },
  { step: 'emission', title: 'Emissions', element: 'Product/Emissions' },
];

export interface Reason {
  /** The problem, with the value if the service names it. */
  text: string;
  /** Path of the element, from below the root; null when the reason names none. */
  path: string | null;
  line: number | null;
  /** The check that found it, and the source of its rule. */
  check: { name: string; source: string } | null;
  /** The section that the regulator rejected. */
  step: Step | null;
}

const REJECTED = 'The regulator rejected the product: ';
const PATH = String.raw`[A-Z]\w*(?:\[\d+\])?(?:/[A-Z]\w*(?:\[\d+\])?)*`;
/** The text after a path in a reason: a value, or a statement about the element. */
const SAID = String.raw`(?:"|\(confidential\)|[a-z])`;
const BETWEEN_PROBLEMS = new RegExp(`; (?=${PATH} ${SAID}|… and \\d+ more)`);
const WITH_PATH = new RegExp(`^(${PATH}) (${SAID}.*)$`, 's');
const LINE = / \(line (\d+)(?:, column \d+)?\)$/;
const CHECK = / \[([a-z_]+): ([^\]]+)\]$/;
const PRODUCT_ID = /^\d{5}-\d\d-\d{5}: /;

/** Returns the reasons why the service refuses a product file. */
export function reasonsOfFile(error: string): Reason[] {
  return error.replace(PRODUCT_ID, '').split(BETWEEN_PROBLEMS).map(reasonOf);
}

/** Returns the reasons why a submission is not with the regulator. */
export function reasonsOfSubmission(failure: string): Reason[] {
  if (!failure.startsWith(REJECTED)) return [plain(failure)];
  const steps = STEPS.map(({ step }) => step).join('|');
  return failure
    .slice(REJECTED.length)
    .split(new RegExp(`; (?=(?:${steps}): )`))
    .map((text) => {
      const step = STEPS.find((one) => text.startsWith(`${one.step}: `));
      if (!step) return plain(text);
      const said = text.slice(step.step.length + 2);
      return { ...plain(said), path: step.element, step: step.step };
    });
}

/** Parses a warning, or one problem of a file. */
export function reasonOf(note: string): Reason {
  const line = LINE.exec(note);
  const withoutLine = line ? note.slice(0, line.index) : note;
  const check = CHECK.exec(withoutLine);
  const said = check ? withoutLine.slice(0, check.index) : withoutLine;
  const [, path = null, text = said] = WITH_PATH.exec(said) ?? [];
  return {
    text,
    path,
    step: null,
    line: line ? Number(line[1]) : null,
    check: check ? { name: check[1] ?? '', source: check[2] ?? '' } : null,
  };
}

const plain = (text: string): Reason => ({ text, path: null, line: null, check: null, step: null });
