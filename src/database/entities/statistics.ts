import { defineEntity, p } from '@mikro-orm/core';
import type { FailureKind, ImportStatus, ProductOutcome } from '../../contract/statuses.ts';

/** What has become of the imports that a client has uploaded in a day, as it was when the day was counted. */
export const DailyStatistics = defineEntity({
  name: 'DailyStatistics',
  tableName: 'daily_statistics',
  properties: {
    /** UTC, of the upload. */
    day: p.date().primary(),
    clientId: p.string().primary(),
    /** How many; what is not there is none. */
    imports: p.json<Partial<Record<ImportStatus, number>>>(),
    products: p.json<Partial<Record<ProductOutcome, number>>>(),
    failures: p.json<Partial<Record<FailureKind, number>>>(),
    /** From reading a product to its being inserted; null where none was. */
    insertP50Seconds: p.double().$type<number>().fieldName('insert_p50_seconds').nullable(),
    insertP95Seconds: p.double().$type<number>().fieldName('insert_p95_seconds').nullable(),
    /** Sizes of the packages. */
    receivedBytes: p.bigint('number'),
  },
  indexes: [{ properties: ['clientId', 'day'] }],
});

/** When a day was counted last. */
export const StatisticsDay = defineEntity({
  name: 'StatisticsDay',
  tableName: 'statistics_day',
  properties: {
    day: p.date().primary(),
    countedAt: p.datetime(3),
  },
});
