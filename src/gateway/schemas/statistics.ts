import { z } from 'zod';
import { IMPORT_STATUSES } from '../../domain/package-import.ts';
import { FAILURE_KINDS, PRODUCT_OUTCOMES } from '../../domain/statistics.ts';
import { day, timestamp } from './common.ts';

export const dayOfClient = z
  .object({
    day,
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
  .meta({ id: 'DayOfClient' });

export const waitingNow = z
  .object({
    client_id: z.string(),
    imports: z.int().meta({ description: 'That have not ended' }),
    inserting: z.int().meta({ description: 'Products on their way to the regulator' }),
  })
  .meta({ id: 'WaitingNow' });

/** Clients of whom it is told what is under way. */
export const WAITING_CLIENTS = 200;

export const statistics = z.object({
  statistics: z.array(dayOfClient),
  waiting_now: z
    .array(waitingNow)
    .nullable()
    .meta({
      description: `What is under way, of the ${WAITING_CLIENTS} clients that have most of it; null on further pages`,
    }),
  next_before: z.string().nullable().meta({ description: '`before` of the next page; null: no more' }),
});

export type StatisticsJson = z.infer<typeof statistics>;
