/** References to other products, by their ID or in words. */
import { BRANDS, FLAVOURS } from '../data/brands.ts';
import { list, type XmlGroup, type XmlLeaf } from '../xml/nodes.ts';
import type { ProductContext } from './context.ts';

export function productIdentification({ random, plan, text }: ProductContext): XmlLeaf {
  const byId = random.chance(0.6);
  const value = byId
    ? `${plan.submitterId}-${random.int(16, plan.year % 100)}-${random.digits(5)}`
    : `${random.pick(BRANDS)} / ${random.pick(FLAVOURS)} (BE, ${random.pick(['ES', 'EL', 'RO'])})`;
  const leaf = text('ProductIdentification', value);
  return { ...leaf, attributes: { type: byId ? 'PRODUCT_ID' : 'TEXT', ...leaf.attributes } };
}

export function productIdentifications(context: ProductContext, name: string): XmlGroup {
  return list(
    name,
    Array.from({ length: context.random.int(1, 4) }, () => productIdentification(context)),
  );
}
