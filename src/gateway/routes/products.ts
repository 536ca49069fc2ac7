/** A product over all imports: what has been submitted of it, and what became of that. */
import { z } from 'zod';
import { NotFound } from '../../domain/errors.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import { changedSections } from '../../domain/steps.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { listedClient, visibleSubmitters } from '../ownership.ts';
import { presentSubmission } from '../presenters/submission.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';
import { pageOf, pageQuery, productIdText } from '../schemas/common.ts';
import { product } from '../schemas/product.ts';

const productParams = z.object({
  product_id: productIdText,
});

export function productRoute({ database }: Pick<GatewayDependencies, 'database'>) {
  const reads = createReadTrail(database.auditTrail);
  return defineRoute({
    method: 'get',
    path: '/regulator/products/{product_id}',
    operationId: 'getProduct',
    tag: 'Submissions',
    summary: 'Every submission of a product, over all imports, newest first',
    permission: PERMISSIONS.readSubmissions,
    params: productParams,
    query: pageQuery,
    answers: { 200: { description: 'One page', data: product } },
    errors: { 404: 'Nothing was submitted of this product, or not by you' },
    async handle({ caller, params: { product_id }, query: { limit, before } }) {
      const clientId = listedClient(caller, undefined);
      const filter = { clientId, submitters: visibleSubmitters(caller), productId: product_id };
      // One more than is shown: what the last one of the page is compared with.
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
