/** Download of a product's dossier, and of the public key of its signature. */
import { Readable } from 'node:stream';
import { DOSSIER_FILES } from '../../contract/limits.ts';
import { getDossier, getDossierKey } from '../../contract/schemas/dossier.ts';
import { NotFound } from '../../domain/client-errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { type DossierEntry, filesOf } from '../dossier/entries.ts';
import { pageOf } from '../dossier/page.ts';
import { HttpError } from '../http-error.ts';
import { isOperator, listedFor } from '../ownership.ts';
import { READ_BYTES } from '../quotas/read-budgets.ts';
import { defineRoute } from '../route.ts';

/** Estimated memory of a dossier: a page of submissions, a piece of a file, and its way to the client. */
const BYTES_OF_A_DOSSIER = 2 * READ_BYTES;
/** Estimated memory of each file of a dossier: path, digest, and record of the directory. */
const BYTES_OF_A_FILE = 512;

export function dossierRoutes({ database, readAudit, storage, dossiers, version }: GatewayDependencies) {
  return [
    defineRoute({
      ...getDossier,
      async handle({ caller, params: { product_id: productId }, query: { before }, budget }) {
        const product = { productId, tenant: listedFor(caller).tenant, before };
        const scope = await database.dossiers.scope(product, DOSSIER_FILES);
        if (!scope) throw new NotFound('Product', productId);
        await budget.reserve(BYTES_OF_A_DOSSIER + BYTES_OF_A_FILE * scope.files);
        await readAudit.always(caller, { action: 'product.dossier_read', detail: { product_id: productId } });
        const withReads = isOperator(caller);
        const madeAt = new Date();
        const title = `Dossier of product ${productId}, made at ${madeAt.toISOString()} by package-import ${version}`;
        const isSigned = dossiers.publicKey !== null;
        const head = { ...scope, madeAt, requestedBy: caller.actor, isSigned, withReads };
        const source = {
          database,
          storage,
          scope,
          withReads,
          pageOf: (entries: AsyncIterable<DossierEntry>) => pageOf(head, entries),
        };
        const stream = dossiers.write(title, (digests) => filesOf(source, digests));
        return { stream, fileName: `dossier-${productId}.zip` };
      },
    }),
    defineRoute({
      ...getDossierKey,
      async handle() {
        if (dossiers.publicKey === null)
          throw new HttpError('not_found', 'This service does not sign dossiers: it has no signing key.');
        return { stream: Readable.from([dossiers.publicKey]), fileName: 'dossier-key.pem' };
      },
    }),
  ];
}
