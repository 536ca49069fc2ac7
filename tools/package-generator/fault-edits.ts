/** How file faults change a document. */
import { COMPANIES } from './data/companies.ts';
import { companyElement } from './product/companies.ts';
import { findGroup, findLeaf, group, plain, type XmlGroup } from './xml/nodes.ts';

/** Gives a leaf another value, to be written as it is. */
export function setValue(submission: XmlGroup, path: string, value: string): void {
  Object.assign(findLeaf(submission, path), { value, form: 'word' });
}

/** @param path of the parent; empty for the root */
export function remove(submission: XmlGroup, path: string, name: string): void {
  const parent = path === '' ? submission : findGroup(submission, path);
  parent.children = parent.children.filter((child) => child.name !== name);
}

export function escapeForRegExp(value: string): string {
  return value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A product ID of another form (package format §2). */
export function misshape(productId: string, variant: string): string {
  const [submitterId, year, number = ''] = productId.split('-');
  switch (variant) {
    case 'short':
      return `${submitterId}-${year}-${Number(number)}x`;
    case 'four-digit year':
      return `${submitterId}-20${year}-${number}`;
    case 'prefix':
      return `EC-${productId}`;
    case 'dots':
      return productId.replaceAll('-', '.');
    default:
      // A digit to the schema's \d, but not to people.
      return productId.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x0660 + Number(digit)));
  }
}

/** Elements that the schema does not know, one in the other. */
export function nested(levels: number): XmlGroup {
  let inner = group('Level', [plain('text', 'Bottom', 'reached')]);
  for (let level = 1; level < levels; level += 1) inner = group('Level', [inner]);
  return inner;
}

/** Gives the submitter a parent company with this e-mail address. */
export function replaceParent(submission: XmlGroup, email: string): void {
  const [company] = COMPANIES;
  const submitter = findGroup(submission, 'Submitter');
  if (!company) throw new Error('There are no companies');
  remove(submission, 'Submitter', 'Parent');
  const hasParent = submitter.children.findIndex(({ name }) => name === 'HasParent');
  submitter.children.splice(
    hasParent,
    1,
    plain('boolean', 'HasParent', true),
    companyElement('Parent', { ...company, email }, false),
  );
}
