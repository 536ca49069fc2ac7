/**
 * Refuses products of companies that the client does not act for (decision §products-belong-to-submitters). Pure.
 */
import { isOfSubmitters, type Submitters, submitterOf } from '../../src/domain/submitters.ts';
import type { ReadProduct } from './product-files.ts';

/**
 * Refuses the files of a batch whose product belongs to another company. It runs before any lookup: stored data about
 * such a product must not influence the answer to the client.
 *
 * @param submitters submitters in the client's token
 */
export function withoutOthersProducts(batch: ReadProduct[], submitters: Submitters): ReadProduct[] {
  return batch.map((read): ReadProduct => {
    if (read.result.ok !== true || isOfSubmitters(submitters, read.result.product.productId)) return read;
    const { productId } = read.result.product;
    const reason = `Product ${productId} belongs to submitter ${submitterOf(productId)}, which the access token does not list. Import it with a token for that submitter.`;
    return { ...read, result: { ok: false, reason, productId } };
  });
}
