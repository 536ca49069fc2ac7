/** The submitter files of a package in a dry run: they count for its products, and take no memory of their own. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createCheckPackage } from '../../../activities/reading/check-package.ts';
import { hashContent, hashSectionContents } from '../../../activities/reading/verdict.ts';
import { createLocalStorage } from '../../../src/archive/local-storage.ts';
import { createReadingBudgets } from '../../../src/archive/package-reader.ts';
import { type PackedFile, unpacked } from '../../../src/archive/packed-file.ts';
import { checkKey, fileStream, packageKey } from '../../../src/archive/storage.ts';
import type { LatestSubmission } from '../../../src/database/repositories/product-history.ts';
import { readCheck } from '../../../src/domain/package-check.ts';
import { parseProduct } from '../../../src/products/parse-product.ts';
import { readSubmitter } from '../../../src/products/submitter-reader.ts';
import { newProductId, productPath, productXml } from '../../support/product-xml.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { type ZipEntries, zipOf } from '../../support/zip.ts';

const MIB = 1024 * 1024;

const submitterPath = (name: string) => `root/export/submitters/${name}.xml`;
const submitterXml = (submitterId: string, name: string) =>
  `<SubmitterDetails><SubmitterID>${submitterId}</SubmitterID><Name>${name}</Name></SubmitterDetails>`;

/** The product as if it was inserted with this submitter file. */
function insertedWith(xml: string, submitter: string): [string, LatestSubmission] {
  const result = parseProduct(Buffer.from(xml));
  if (!result.ok) throw new Error('the product cannot be read');
  const { details } = readSubmitter(Buffer.from(submitter), '');
  const sectionHashes = hashSectionContents(result.sectionHashes, result.product, new Map(), details);
  const contentHash = hashContent(sectionHashes);
  const submission = {
    submissionId: 1,
    status: 'regulator_inserted',
    caseId: null,
    mayBePassed: false,
    inserted: null,
  };
  return [result.product.productId, { ...submission, contentHash, sectionHashes }];
}

/** The report of a dry run, and the heap in use at its beginning and its end, in bytes. */
async function checked(entries: ZipEntries, inserted: [string, LatestSubmission][] = []) {
  const storage = createLocalStorage(await temporaryDirectory());
  const storageKey = packageKey(randomUUID(), new Date());
  await storage.put(storageKey, Readable.from([await zipOf(entries)]));
  const heap: number[] = [];
  const known = async () => new Map();
  const checkPackage = createCheckPackage({
    database: {
      productHistory: { latestSubmissions: async () => new Map(inserted) },
      referredFiles: { latestAttachments: known, latestSubmitters: known },
    } as never,
    storage: {
      ...storage,
      put: async (...report) => {
        heap.push(heapInUse());
        return storage.put(...report);
      },
    },
    readingBudgets: createReadingBudgets(64 * MIB),
    parser: {
      parse: async (packed: PackedFile) => ({ result: parseProduct(unpacked(packed)), gzip: null }),
    } as never,
    refusedChecks: [],
  });
  const checkUuid = randomUUID();
  heap.push(heapInUse());
  await new MockActivityEnvironment().run(() => checkPackage({ checkUuid, storageKey, tenant: 'client' }));
  const report = await storage.open(checkKey(checkUuid));
  const lines = await Array.fromAsync(readCheck(fileStream(report).setEncoding('utf8')));
  await report.close();
  return { products: lines.flatMap((line) => ('product' in line ? line.product : [])), heap };
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
  return process.memoryUsage().heapUsed;
}

describe('submitter files in a dry run', () => {
  it('count for the products of every batch: the last file of a submitter', async () => {
    const products = Array.from({ length: 70 }, () => productXml({ productId: newProductId() }));
    const { products: judged } = await checked(
      {
        [submitterPath('old')]: submitterXml('99962', 'Old'),
        [submitterPath('last')]: submitterXml('99962', 'Last'),
        ...Object.fromEntries(products.map((xml, index) => [productPath(String(index)), xml])),
      },
      products.map((xml) => insertedWith(xml, submitterXml('99962', 'Last'))),
    );
    expect(judged.map(({ outcome }) => outcome)).toEqual(products.map(() => 'unchanged'));
  });

  it('take no memory, however many a package has', async () => {
    const files = Array.from({ length: 250 }, (_, index) => {
      const id = String(10_000 + index);
      return [submitterPath(id), submitterXml(id, id.repeat(12_000))];
    });
    const { heap } = await checked(Object.fromEntries(files));
    const [before = 0, after = 0] = heap;
    expect(after - before).toBeLessThan(8 * MIB);
  });
});
