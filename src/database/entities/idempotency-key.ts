import { defineEntity, p } from '@mikro-orm/core';
import { PackageImport } from './package-import.ts';

/** Under which key a client sent an import, so that it can ask again for the answer. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    clientId: p.string().primary(),
    key: p.string().primary(),
    /** SHA-256 over what was sent: the same key with something else is a mistake of the client. */
    fingerprint: p.string().length(64),
    packageImport: () =>
      p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade').index(),
    createdAt: p.datetime(3).index(),
  },
});
