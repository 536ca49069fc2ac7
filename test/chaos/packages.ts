/** The packages that the clients send, and the content that the regulator must have at the end. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { stringify } from 'safe-stable-stringify';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { Json } from '../../src/domain/product.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { asObject, productFilesOf } from '../support/generator-oracle.ts';

/** Digests by step, and by attachment ID. */
export interface Content {
  sections: Record<string, string>;
  attachments: Record<string, string>;
}

export interface SentProduct {
  productId: string;
  /** Base name of its file. */
  xmlFile: string;
  content: Content;
}

export interface SentPackage {
  zip: Buffer;
  products: SentProduct[];
}

/** Distance between the numbers of the first products of two packages. */
const NUMBERS_APART = 50;

/**
 * @param number of the package, from 0: no two contain the same product
 * @param products at most 50
 */
export async function makePackage(seed: number, number: number, products: number): Promise<SentPackage> {
  const generated = generatePackage({
    seed: seed + number,
    products,
    firstNumber: 1 + number * NUMBERS_APART,
    style: 'varied',
  });
  const documents = new Map<string, string>();
  let submitter: Json = null;
  for (const file of generated.files) {
    if (file.kind === 'attachment') documents.set(file.attachmentId, digest(await buffer(file.document())));
    if (file.kind === 'submitter') submitter = asObject(file.document.children);
  }
  const sent = productFilesOf(generated).flatMap((file): SentProduct[] => {
    const values = file.expectation.values?.();
    if (!values) return [];
    const { sections, attachmentIds } = values;
    // The submitter's file goes with the first section (package format §5).
    const first = { ...(sections.init_validate as object), SubmitterDetails: submitter };
    const content = { ...sections, init_validate: first };
    return [
      {
        productId: file.expectation.productId ?? '',
        xmlFile: basename(file.path),
        content: {
          sections: digestsOf(content),
          attachments: Object.fromEntries(attachmentIds.map((id) => [id, documents.get(id) ?? 'missing'])),
        },
      },
    ];
  });
  return { zip: await buffer(generated.toStream()), products: sent };
}

function digestsOf(sections: Record<string, Json>): Record<string, string> {
  const present = INSERT_STEPS.flatMap((step): [string, string][] => {
    const section = sections[step] ?? null;
    return section === null ? [] : [[step, digest(stringify(section) ?? '')]];
  });
  return Object.fromEntries(present);
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
