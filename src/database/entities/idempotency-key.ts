import { defineEntity, p } from '@mikro-orm/core';
import { PackageImport } from './package-import.ts';

/** The idempotency key of an import: a client that lost the answer repeats its request. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    tenant: p.text().primary(),
    key: p.string().primary(),
    /** SHA-256 over the request: the same key with another request is an error of the client. */
    fingerprint: p.string().length(64),
    packageImport: () =>
      p.manyToOne(PackageImport).mapToPk().fieldName('zip_import_id').deleteRule('cascade').index(),
    createdAt: p.datetime(3).index(),
  },
});
