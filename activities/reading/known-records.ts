/** Attachments, submitters and submissions that products refer to, from earlier packages and from this one. */
import { hash } from 'node:crypto';
import type { LatestSubmission } from '../../src/database/repositories/product-history.ts';
import type { Json, SentAttachment } from '../../src/domain/product.ts';
import { previousProductOf } from '../../src/products/compared-with-inserted.ts';
import type { ImportDependencies } from '../dependencies.ts';
import type { ReadProduct } from './product-files.ts';

/** Keys: product ID (also of products that are modified under a new ID), attachment ID, submitter ID. */
export interface Known {
  latest: ReadonlyMap<string, LatestSubmission>;
  attachments: ReadonlyMap<string, KnownAttachment>;
  submitters: ReadonlyMap<string, KnownSubmitter>;
}

export interface KnownAttachment {
  /** Row of the attachment; null in a dry run, which stores none. */
  id: number | null;
  sha256: string;
  /** From `detailsText`. */
  details: string;
}

interface KnownSubmitter {
  id: number | null;
  details: Json;
}

/**
 * Looks up the references of a batch, in three queries: the tenant's attachments, the tenant's submitters, and earlier
 * submissions.
 *
 * @param of.importId the import that is read: later ones may have been read before. Null for a dry run
 */
export async function findKnown(
  { productHistory, referredFiles }: Pick<ImportDependencies['database'], 'productHistory' | 'referredFiles'>,
  of: { tenant: string; importId: number | null },
  batch: ReadProduct[],
): Promise<Known> {
  const { productIds, attachmentIds, submitterIds } = referencesOf(batch);
  const [latest, attachments, submitters] = await Promise.all([
    productHistory.latestSubmissions(productIds, { tenant: of.tenant, beforeImport: of.importId }),
    referredFiles.latestAttachments(attachmentIds, of),
    referredFiles.latestSubmitters(submitterIds, of),
  ]);
  const described = [...attachments].map(([attachmentId, { id, sha256, ...details }]) => {
    return [attachmentId, { id, sha256, details: detailsText(details) }] as const;
  });
  return { latest, attachments: new Map(described), submitters };
}

/** The products, attachments and submitters that a batch refers to. */
export function referencesOf(batch: ReadProduct[]) {
  const products = batch.flatMap(({ result }) => (result.ok === true ? result.product : []));
  const attachmentIds = products.flatMap(({ attachments }) => attachments.map((one) => one.attachmentId));
  return {
    productIds: products.flatMap((product) => [product.productId, ...previousProductOf(product)]),
    attachmentIds: [...new Set(attachmentIds)],
    submitterIds: [...new Set(products.flatMap(({ submitterId }) => submitterId ?? []))],
  };
}

/** Characters of a value's JSON; longer values are told apart by their hash. */
const LONGEST_VALUE = 240;

export function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length <= LONGEST_VALUE) return text;
  return `${text.slice(0, LONGEST_VALUE).toWellFormed()}… (${text.length} characters, SHA-256 ${hash('sha256', text)})`;
}

/**
 * The statements of an attachment file that reach the regulator. They are part of stored hashes, so their form must not
 * change. They are bounded, because a dry run keeps those of all its attachments.
 */
export function detailsText({ fileName, contentType, confidential }: Omit<SentAttachment, 'sha256'>): string {
  return valueText({ Filename: fileName, ContentType: contentType, Confidential: confidential });
}
