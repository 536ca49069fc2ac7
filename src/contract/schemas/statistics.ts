import { z } from 'zod';
import { MAX_CLIENTS } from '../limits.ts';
import { FAILURE_KINDS, IMPORT_STATUSES, PRODUCT_OUTCOMES, SPANS, type Span } from '../statuses.ts';
import {
  clientText,
  day,
  FORBIDDEN,
  IN_ORDER,
  nextPlace,
  pageQuery,
  plainText,
  timestamp,
} from './common.ts';
import { describe } from './operation.ts';

/** Characters of an ISO 8601 time that name its day or its hour. */
const NAMED_BY = { day: 'yyyy-mm-dd'.length, hour: 'yyyy-mm-ddThh'.length } satisfies Record<Span, number>;

/** `2026-01-31/client`, or `2026-01-31T13/client` for an hour. */
const LINE = /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]))?\/(.*)$/s;

interface Line {
  beginsAt: Date;
  clientId: string;
}

/** `2026-01-31` or `2026-01-31T13`, in UTC. */
export const named = (time: Date, span: Span) => time.toISOString().slice(0, NAMED_BY[span]);

export function nameOf({ beginsAt, clientId }: Line, span: Span): string {
  return `${named(beginsAt, span)}/${clientId}`;
}

const isLineName = (text: string) => day.safeParse(LINE.exec(text)?.[1]).success;

function lineNamed(name: string): Line {
  const [, day = '', hour = '00', clientId = ''] = LINE.exec(name) ?? [];
  return { beginsAt: new Date(`${day}T${hour}:00:00Z`), clientId };
}

const statisticsLine = z
  .object({
    day,
    begins_at: timestamp.meta({ description: 'Start of the day or hour' }),
    client_id: z.string(),
    imports: z.record(z.enum(IMPORT_STATUSES), z.int()),
    products: z
      .record(z.enum(PRODUCT_OUTCOMES), z.int())
      .meta({ description: 'Product files by outcome; `refused` files could not be read' }),
    failures: z.record(z.enum(FAILURE_KINDS), z.int()).meta({
      description:
        'Failures by kind. `not_queued` counts products that were not queued and not retried since. `insert_…` names the last step that the insert began',
    }),
    insert_seconds: z.object({ p50: z.number(), p95: z.number() }).nullable().meta({
      description:
        'Median and 95th percentile of the time from reading a product until it was inserted; null if none was inserted',
    }),
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
    packages: z.int().meta({ description: 'Packages whose ZIP is stored' }),
    package_bytes: z.int(),
    attachment_bytes: z.int().meta({
      description:
        'Size of their attachments. An attachment that several packages of an owner contain counts once',
    }),
  })
  .meta({ id: 'StoredNow' });

const statistics = z.object({
  statistics: z.array(statisticsLine),
  waiting_now: z
    .array(waitingNow)
    .nullable()
    .meta({
      description: `Running work of the ${MAX_CLIENTS} clients with the most; null on further pages`,
    }),
  next_before: nextPlace,
});

const stored = z.object({
  stored: z
    .array(storedNow)
    .meta({ description: `The ${MAX_CLIENTS} clients with the most stored bytes, in descending order` }),
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
    by: z.enum(SPANS).default('day').meta({ description: 'One line for each client and day or hour' }),
    client_id: clientText,
    limit: pageQuery.shape.limit,
    before: plainText
      .refine(isLineName, {
        error: 'must be `next_before` of a page',
      })
      .transform(lineNamed)
      .optional()
      .meta({ description: 'Only lines after this one; `next_before` of the previous page' }),
  })
  .refine(({ from, to }) => !(from && to && from > to), IN_ORDER);

export type StatisticsQuery = z.input<typeof statisticsQuery>;

export const getStatistics = describe('getStatistics', {
  tag,
  summary: 'List statistics of imports by client and day or hour, newest first',
  description:
    'An import counts for the day and hour of its upload, in UTC, with its state at `counted_at`. Today is counted at the ' +
    'request; yesterday, and a day of very many products, every few minutes. The 88 days before are counted once a day. ' +
    'Older days do not change.',
  query: statisticsQuery,
  answers: { 200: { description: 'A page of statistics', data: statistics } },
  errors: { 403: FORBIDDEN },
});

export const getStored = describe('getStored', {
  tag,
  summary: 'List stored packages by client',
  description:
    'Packages that retention has removed do not count. Their attachments do not count either, even if they are still stored.',
  query: z.object({ client_id: clientText }),
  answers: { 200: { description: 'Stored packages by client', data: stored } },
  errors: { 403: FORBIDDEN },
});
