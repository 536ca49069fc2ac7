import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { FailureKind, ImportStatus, ProductOutcome } from '../../contract/statuses.ts';

/**
 * Statistics of the imports that a tenant or a client uploaded on one day, at the time of counting. A client with several
 * tenants has a line of its own, because percentiles cannot be added up.
 */
export const DailyStatistics = defineEntity({
  name: 'DailyStatistics',
  properties: {
    /** Day of the upload, UTC. */
    day: p.date().primary(),
    /** A tenant, or a client with all of its tenants. */
    owner: p.text().primary(),
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
  indexes: [{ properties: ['owner', 'day'] }],
});

export type DailyStatisticsRow = InferEntity<typeof DailyStatistics>;

/** Time of a day's last count. */
export const StatisticsDay = defineEntity({
  name: 'StatisticsDay',
  properties: {
    day: p.date().primary(),
    countedAt: p.datetime(3),
  },
});
