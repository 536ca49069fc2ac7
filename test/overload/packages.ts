/** The packages of the flood: ordinary small packages, a large one, and those that once crashed the processes. */
import { type EntrySpec, writeZip } from '../archive/support/zip-writer.ts';
import { productPath, productXml, unknownReferences } from '../support/product-xml.ts';

export interface HostileSizes {
  /** Products, and the attachments that each refers to and nobody knows. */
  products: number;
  references: number;
  /** Empty attachments of one ZIP. */
  attachments: number;
  /** ZIPs, and the entries with long names that each has. */
  directories: number;
  entries: number;
}

/** A product ID of which no other is made here: submitters of their own, so that a million fit. */
export function createProductIds(): () => string {
  let last = 0;
  return () => {
    last += 1;
    const submitter = String(10_000 + Math.floor(last / 90_000));
    return `${submitter}-26-${String(10_000 + (last % 90_000))}`;
  };
}

export function ordinary(nextId: () => string, products = 1): Buffer {
  return writeZip({ entries: Array.from({ length: products }, () => productEntry(nextId())) });
}

/** The packages of issue 11, in turn where there are several. */
export function* hostile(nextId: () => string, sizes: HostileSizes): Generator<Buffer> {
  const { products, references, attachments, directories, entries } = sizes;
  const block = unknownReferences(references);
  const edit = (xml: string) => xml.replace('<Presentations>', `${block}<Presentations>`);
  yield writeZip({
    entries: Array.from({ length: products }, (): EntrySpec => {
      const productId = nextId();
      return { name: productPath(productId), content: productXml({ productId, edit }), deflated: true };
    }),
  });
  yield writeZip({
    zip64: true,
    entries: [
      productEntry(nextId()),
      ...Array.from({ length: attachments }, (_, n) => ({
        name: `root/export/attachments/${n}.xml`,
        content: '',
      })),
    ],
  });
  const longNamed = Array.from({ length: entries }, (_, n) => ({
    name: `root/${`${n}`.padStart(225, 'n')}`,
  }));
  const directory = writeZip({ zip64: true, entries: [productEntry(nextId()), ...longNamed] });
  for (let n = 0; n < directories; n += 1) yield directory;
}

function productEntry(productId: string): EntrySpec {
  return { name: productPath(productId), content: productXml({ productId }), deflated: true };
}
