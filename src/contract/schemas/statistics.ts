import { z } from 'zod';
import { DAYS_OF_HOURS, MOST_CLIENTS } from '../limits.ts';
import { FAILURE_KINDS, IMPORT_STATUSES, PRODUCT_OUTCOMES } from '../statuses.ts';
import { clientText, day, FORBIDDEN, IN_ORDER, pageQuery, plainText, timestamp } from './common.ts';
import { describe } from './operation.ts';
import { daysBetween, daysOfHours, isLineName, lineNamed } from './statistics-lines.ts';

const statisticsLine = z
  .object({
    day,
    begins_at: timestamp.meta({ description: 'When the day, or the hour, begins' }),
    client_id: z.string(),
    imports: z.record(z.enum(IMPORT_STATUSES), z.int()),
    products: z
      .record(z.enum(PRODUCT_OUTCOMES), z.int())
      .meta({ description: 'Product files by outcome; a `refused` one could not be read' }),
    failures: z.record(z.enum(FAILURE_KINDS), z.int()).meta({
      description:
        'Failures by kind: `not_queued` is a product that has not been run since, `insert_…` names the step that had begun',
    }),
    insert_seconds: z
      .object({ p50: z.number(), p95: z.number() })
      .nullable()
      .meta({ description: 'Time from reading a product until it was inserted; null if none was inserted' }),
    received_bytes: z.int().meta({ description: 'Size of the uploaded packages' }),
    counted_at: timestamp,
  })
  .meta({ id: 'StatisticsLine' });

const waitingNow = z
  .object({
    client_id: z.string(),
    imports: z.int().meta({ description: 'Imports that have not ended' }),
    inserting: z.int().meta({ description: 'Products that are being inserted' }),
  })
  .meta({ id: 'WaitingNow' });

const storedNow = z
  .object({
    client_id: z.string(),
    packages: z.int().meta({ description: 'Packages whose ZIP is kept' }),
    package_bytes: z.int(),
    attachment_bytes: z
      .int()
      .meta({ description: 'Attachments that these packages were the first to bring' }),
  })
  .meta({ id: 'StoredNow' });

const statistics = z.object({
  statistics: z.array(statisticsLine),
  waiting_now: z
    .array(waitingNow)
    .nullable()
    .meta({
      description: `Running work of the ${MOST_CLIENTS} clients with the most; null on further pages`,
    }),
  next_before: z.string().nullable().meta({ description: '`before` of the next page; null: no more' }),
});

const stored = z.object({
  stored: z
    .array(storedNow)
    .meta({ description: `The ${MOST_CLIENTS} clients with the most stored bytes, in descending order` }),
});

export type StatisticsLine = z.infer<typeof statisticsLine>;
export type WaitingNow = z.infer<typeof waitingNow>;
export type StoredNow = z.infer<typeof storedNow>;
export type Statistics = z.infer<typeof statistics>;
export type Stored = z.infer<typeof stored>;

const tag = 'Statistics';

const statisticsQuery = z
  .object({
    from: day.optional().meta({ description: 'The first day of uploads, UTC' }),
    to: day.optional().meta({ description: 'The last day of uploads, UTC' }),
    by: z
      .enum(['day', 'hour'])
      .default('day')
      .meta({
        description: `One line for each day, or hour, and client; hours of ${DAYS_OF_HOURS} days at the most, of today where no day is given`,
      }),
    client_id: clientText,
    limit: pageQuery.shape.limit,
    before: plainText
      .refine(isLineName, {
        error: 'must be `next_before` of a page',
      })
      .transform(lineNamed)
      .optional()
      .meta({ description: 'Only lines after this one: `next_before` of the last page' }),
  })
  .refine(({ from, to }) => !(from && to && from > to), IN_ORDER)
  .refine(({ by, from, to }) => by === 'day' || daysBetween(daysOfHours(from, to)) < DAYS_OF_HOURS, {
    error: `hours are counted of ${DAYS_OF_HOURS} days at the most`,
    path: ['from'],
  });

export type StatisticsQuery = z.input<typeof statisticsQuery>;

export const getStatistics = describe('getStatistics', {
  tag,
  summary: 'What became of the imports of each day or hour and client, newest first',
  description:
    'A day is that of the upload, UTC: its line tells what has become of its imports until `counted_at`. Today and yesterday ' +
    'are counted every few minutes, the 90 days before them every night, older ones stay as they are. Hours are counted when ' +
    'they are asked for.',
  query: statisticsQuery,
  answers: { 200: { description: 'One page', data: statistics } },
  errors: { 403: FORBIDDEN },
});

export const getStored = describe('getStored', {
  tag,
  summary: 'What is stored of the packages of each client, now',
  description:
    'Retention removes packages. An attachment may stay longer; the numbers do not contain it then.',
  query: z.object({ client_id: clientText }),
  answers: { 200: { description: 'Stored packages by client', data: stored } },
  errors: { 403: FORBIDDEN },
});
