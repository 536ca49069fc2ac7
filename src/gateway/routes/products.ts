/** The history of a product: its submissions over all imports, with their results. */
import { getProduct } from '../../contract/schemas/products.ts';
import { NotFound } from '../../domain/errors.ts';
import { changedSections } from '../../domain/steps.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { pageOf } from '../links.ts';
import { listedClient, visibleSubmitters } from '../ownership.ts';
import { presentSubmission } from '../presenters/submission.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';

export function productRoute({ database }: Pick<GatewayDependencies, 'database'>) {
  const reads = createReadTrail(database.auditTrail);
  return defineRoute({
    ...getProduct,
    async handle({ caller, params: { product_id }, query: { limit, before } }) {
      const clientId = listedClient(caller, undefined);
      const filter = { clientId, submitters: visibleSubmitters(caller), productId: product_id };
      // One more than the page shows: the last submission of the page is compared with it.
      const rows = await database.submissions.list(filter, { limit: limit + 1, before });
      if (rows.length === 0 && before === undefined) throw new NotFound('Product', product_id);
      const { page, next_before } = pageOf(rows, limit);
      await reads.note(caller, null, { action: 'product.read', detail: { product_id } });
      const superseded = await database.submissions.superseded(page);
      const submissions = page.map((row, index) => {
        const older = rows[index + 1];
        return {
          ...presentSubmission(row, superseded.has(row.id)),
          changed_sections: older ? changedSections(older.sectionHashes, row.sectionHashes) : null,
        };
      });
      const data = { product_id, submissions, next_before };
      return { message: 'Product.', data };
    },
  });
}
