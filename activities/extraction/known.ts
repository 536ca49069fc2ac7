/** What is known, from earlier packages and from this one, about what products refer to. */
import type { LatestSubmission } from '../../src/database/repositories/extraction.ts';
import type { Json } from '../../src/domain/product.ts';
import type { ImportDependencies } from '../dependencies.ts';
import type { ReadProduct } from './product-files.ts';

/** By product ID, by attachment ID, by submitter ID. */
export interface Known {
  latest: ReadonlyMap<string, LatestSubmission>;
  attachments: ReadonlyMap<string, KnownAttachment>;
  submitters: ReadonlyMap<string, KnownSubmitter>;
}

interface KnownAttachment {
  /** Its row, or null while nothing is kept. */
  id: number | null;
  sha256: string;
}

interface KnownSubmitter {
  id: number | null;
  details: Json;
}

/**
 * What the database knows about what a batch refers to, in three questions: about the client's attachments and
 * submitters, and about earlier submissions, among which those of the import itself (`exceptImport`) are not.
 */
export async function lookUp(
  { extraction, referredFiles }: Pick<ImportDependencies['database'], 'extraction' | 'referredFiles'>,
  { clientId, exceptImport }: { clientId: string; exceptImport: number | null },
  batch: ReadProduct[],
): Promise<Known> {
  const { productIds, attachmentIds, submitterIds } = referencesOf(batch);
  const [latest, attachments, submitters] = await Promise.all([
    extraction.latestSubmissions(productIds, { exceptImport }),
    referredFiles.latestAttachments(clientId, attachmentIds),
    referredFiles.latestSubmitters(clientId, submitterIds),
  ]);
  return { latest, attachments, submitters };
}

/** Which products, attachments and submitters a batch refers to. */
function referencesOf(batch: ReadProduct[]) {
  const products = batch.flatMap(({ result }) => (result.ok === true ? result.product : []));
  const attachmentIds = products.flatMap(({ attachments }) => attachments.map((one) => one.attachmentId));
  return {
    productIds: products.map(({ productId }) => productId),
    attachmentIds: [...new Set(attachmentIds)],
    submitterIds: [...new Set(products.flatMap(({ submitterId }) => submitterId ?? []))],
  };
}
