/** The history of a product: its submissions over all imports, with their results. */
import { getProduct } from '../../contract/schemas/submissions.ts';
import { NotFound } from '../../domain/client-errors.ts';
import { changedSections } from '../../domain/steps.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { listedFor } from '../ownership.ts';
import { presentSubmission } from '../presenters/submission.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';

export function productRoute({ database }: Pick<GatewayDependencies, 'database'>) {
  const reads = createReadTrail(database.auditTrail);
  return defineRoute({
    ...getProduct,
    async handle({ caller, params: { product_id }, query: { limit, before } }) {
      const { tenant } = listedFor(caller);
      const filter = { tenant, productId: product_id };
      const { page, next } = await database.submissions.list(filter, { limit, before });
      if (page.length === 0 && before === undefined) throw new NotFound('Product', product_id);
      const next_before = next && (page.at(-1)?.id ?? null);
      await reads.note(caller, null, { action: 'product.read', detail: { product_id } });
      const superseded = await database.submissions.superseded(page);
      const submissions = page.map((row, index) => {
        const older = page[index + 1] ?? next;
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
