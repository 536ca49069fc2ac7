/** Helpers for tests about single-product imports: the import, its case, its submission, its mails. */

import type { ImportResult, QueueResult, Submission } from '../../src/contract/types.ts';
import { insertWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import { GOOD_BEHAVIOUR } from '../../src/trial-parts/regulator-simulator/behaviour.ts';
import { eventually } from './eventually.ts';
import { newProductId, productPath, productXml } from './product-xml.ts';
import type { StackParts } from './stack-parts.ts';
import { call, upload } from './upload.ts';
import { zipOf } from './zip.ts';

const RECIPIENT = 'person@company.example';

export function importsOf(stack: StackParts) {
  // A test may replace the simulator.
  const simulation = () => stack.simulator.simulation;

  async function importProducts(products: { productId: string; brand?: string }[]): Promise<ImportResult> {
    const entries = products.map((product, index) => [productPath(`${index}`), productXml(product)]);
    const answer = await upload(stack, await zipOf(Object.fromEntries(entries)), { email: RECIPIENT });
    if (answer.status !== 200) throw new Error(answer.body.message);
    return answer.body.data;
  }

  async function submission(id: number): Promise<Submission> {
    return (await call<Submission>(stack, 'GET', `/regulator/submissions/${id}`)).body.data;
  }

  return {
    importProducts,
    submission,
    /** Imports one product. Returns the import's id and uuid, the submission's id and the product's. */
    async importOne(options: { productId?: string; brand?: string } = {}) {
      const productId = options.productId ?? newProductId();
      const result = await importProducts([{ ...options, productId }]);
      const record = await stack.database.imports.find(result.id);
      return {
        productId,
        importId: result.id,
        importUuid: record?.uuid ?? '',
        submissionId: result.submissions[0]?.id ?? 0,
      };
    },
    run: (id: number) =>
      call<QueueResult>(stack, 'POST', `/regulator/submissions/${id}/actions/regulator-insert`),
    /** Waits until the submission has a status. */
    reached: (id: number, ...statuses: string[]) =>
      eventually(async () => {
        const state = await submission(id);
        return statuses.includes(state.status) ? state : null;
      }),
    casesOf: (productId: string) => simulation().state.cases.filter((one) => one.product_id === productId),
    async summariesOf(importId: number) {
      return (await stack.mailbox.store.list()).filter(({ subject }) =>
        subject.startsWith(`Package import ${importId}:`),
      );
    },
    insert: (productId: string) => stack.temporal.workflow.getHandle(insertWorkflowId(productId)),
    parent: (importUuid: string) => stack.temporal.workflow.getHandle(packageImportWorkflowId(importUuid)),
    /** The regulator rejects a step of these products, and of no others. */
    reject: (
      productIds: string | readonly string[],
      step: 'design' | 'init_validate' | 'emission' = 'design',
    ) => {
      simulation().behaviour.reject = [productIds]
        .flat()
        .map((product_id) => ({ product_id, step, message: 'Rejected on request' }));
    },
    /** Makes the regulator unavailable: inserts begin, but do not end until it is available again. */
    takeRegulatorAway: () => {
      simulation().behaviour.unavailable = true;
    },
    restoreRegulator: () => {
      Object.assign(simulation().behaviour, GOOD_BEHAVIOUR);
    },
  };
}
