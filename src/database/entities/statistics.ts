import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { type FailureKind, type ImportStatus, type ProductOutcome, SPANS } from '../../contract/statuses.ts';

/**
 * Statistics of the imports that a tenant or a client uploaded in one day or hour, at the time of counting. Days have
 * lines beside their hours, and clients beside their tenants, because percentiles cannot be added up.
 */
export const StatisticsLine = defineEntity({
  name: 'StatisticsLine',
  properties: {
    span: p.enum(SPANS).primary(),
    /** Begin of the span, UTC. */
    beginsAt: p.datetime(0).primary(),
    /** A tenant, or a client with all of its tenants. */
    owner: p.text().primary(),
    /** Whether the owner is one of several tenants of the client. */
    isTenant: p.boolean(),
    clientId: p.string(),
    /** Numbers; a missing key means none. */
    imports: p.json<Partial<Record<ImportStatus, number>>>(),
    products: p.json<Partial<Record<ProductOutcome, number>>>(),
    failures: p.json<Partial<Record<FailureKind, number>>>(),
    /** Seconds from reading a product to its insertion; null without an inserted product. */
    insertP50Seconds: p.double().$type<number>().fieldName('insert_p50_seconds').nullable(),
    insertP95Seconds: p.double().$type<number>().fieldName('insert_p95_seconds').nullable(),
    /** Total size of the packages. */
    receivedBytes: p.bigint('number'),
  },
  indexes: [{ properties: ['owner', 'span', 'beginsAt'] }],
});

export type StatisticsLineRow = InferEntity<typeof StatisticsLine>;

/** Time of the last count of a day and its hours. */
export const StatisticsDay = defineEntity({
  name: 'StatisticsDay',
  properties: {
    day: p.date().primary(),
    countedAt: p.datetime(3),
  },
});
