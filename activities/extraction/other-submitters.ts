/** Products of companies that the client does not speak for (decision §products-belong-to-submitters). Pure. */
import { isOfSubmitters, type Submitters, submitterOf } from '../../src/domain/submitters.ts';
import type { ReadProduct } from './product-files.ts';

/**
 * The files of a batch, with those refused whose product belongs to another company. To be used before anything is looked
 * up: what is known of such a product must not decide what the client is told.
 *
 * @param submitters those that the client's token listed
 */
export function withoutOthersProducts(batch: ReadProduct[], submitters: Submitters): ReadProduct[] {
  return batch.map((read): ReadProduct => {
    if (read.result.ok !== true || isOfSubmitters(submitters, read.result.product.productId)) return read;
    const { productId } = read.result.product;
    const reason = `Product ${productId} belongs to submitter ${submitterOf(productId)}, which the access token does not list. Import it with a token for that submitter.`;
    return { ...read, result: { ok: false, reason, productId } };
  });
}
