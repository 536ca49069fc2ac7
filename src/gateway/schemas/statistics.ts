import { z } from 'zod';
import { IMPORT_STATUSES } from '../../domain/package-import.ts';
import { FAILURE_KINDS, PRODUCT_OUTCOMES } from '../../domain/statistics.ts';
import { day, timestamp } from './common.ts';

export const statisticsLine = z
  .object({
    day,
    begins_at: timestamp.meta({ description: 'When the day, or the hour, begins' }),
    client_id: z.string(),
    imports: z.record(z.enum(IMPORT_STATUSES), z.int()),
    products: z
      .record(z.enum(PRODUCT_OUTCOMES), z.int())
      .meta({ description: 'Product files by where they have got to; a `refused` one could not be read' }),
    failures: z.record(z.enum(FAILURE_KINDS), z.int()).meta({
      description:
        'What failed, and where: `not_queued` is a product that has not been run since, `insert_…` names the step that had begun',
    }),
    insert_seconds: z
      .object({ p50: z.number(), p95: z.number() })
      .nullable()
      .meta({ description: 'From reading a product to its being inserted; null where none was' }),
    received_bytes: z.int().nullable().meta({
      description: 'Size of the uploaded packages; null for days that an older release has counted',
    }),
    counted_at: timestamp,
  })
  .meta({ id: 'StatisticsLine' });

export const waitingNow = z
  .object({
    client_id: z.string(),
    imports: z.int().meta({ description: 'That have not ended' }),
    inserting: z.int().meta({ description: 'Products on their way to the regulator' }),
  })
  .meta({ id: 'WaitingNow' });

export const storedNow = z
  .object({
    client_id: z.string(),
    packages: z.int().meta({ description: 'Packages whose ZIP is kept' }),
    package_bytes: z.int(),
    attachment_bytes: z
      .int()
      .meta({ description: 'Attachments that these packages were the first to bring' }),
  })
  .meta({ id: 'StoredNow' });

/** Clients of whom it is told what is under way, or stored. */
export const MOST_CLIENTS = 200;

export const statistics = z.object({
  statistics: z.array(statisticsLine),
  waiting_now: z
    .array(waitingNow)
    .nullable()
    .meta({
      description: `What is under way, of the ${MOST_CLIENTS} clients that have most of it; null on further pages`,
    }),
  next_before: z.string().nullable().meta({ description: '`before` of the next page; null: no more' }),
});

export const stored = z.object({
  stored: z
    .array(storedNow)
    .meta({ description: `Of the ${MOST_CLIENTS} clients of which most is stored, that first` }),
});

export type StoredJson = z.infer<typeof stored>;
export type StatisticsJson = z.infer<typeof statistics>;
