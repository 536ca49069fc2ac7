/** The packages that the clients send, the content that the regulator must have at the end, and when each is sent. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'safe-stable-stringify';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { Json } from '../../src/domain/product.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { createRandom } from '../../tools/package-generator/random.ts';
import type { Clients, Upload } from './clients.ts';

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
    if (file.kind === 'submitter') submitter = file.details;
  }
  const sent = generated.files.flatMap((file): SentProduct[] => {
    const values = file.kind === 'product' ? file.expectation.values?.() : undefined;
    if (file.kind !== 'product' || !values) return [];
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

export interface LoadOptions {
  seed: number;
  imports: number;
  clients: number;
  products: [from: number, to: number];
  /** Share of the faults that have begun, from 0 to 1. */
  progress(): number;
}

export interface SentUpload {
  upload: Upload;
  sent: SentPackage;
}

const LOOKS_AGAIN_MS = 200;

/** Resolves when every upload has its answer. @param number of the first package: no two may contain the same products */
export async function sendAll(clients: Clients, options: LoadOptions, first = 0): Promise<SentUpload[]> {
  const all = Array.from({ length: options.imports }, async (_, index): Promise<SentUpload> => {
    const number = first + index;
    // The first few start at once, so that faults have something to disturb.
    const begins = Math.max(0, index - options.clients) / options.imports;
    while (options.progress() < begins) await sleep(LOOKS_AGAIN_MS);
    const products = createRandom(options.seed, 'products', number).int(...options.products);
    const sent = await makePackage(options.seed, number, products);
    const upload = await clients.send(
      `client-${(number % options.clients) + 1}`,
      `${options.seed}-${number}`,
      sent,
    );
    return { upload, sent };
  });
  return Promise.all(all);
}
