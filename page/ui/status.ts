/** How each status of the API looks; its words are the contract's. */
import { type ImportStatus, STATUS_LABELS, type SubmissionStatus } from '../../src/contract/statuses.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

const TONES: Record<ImportStatus | SubmissionStatus, Tone> = {
  extracting: 'busy',
  inserting: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'idle',
  local: 'idle',
  regulator_inserting: 'busy',
  regulator_inserted: 'good',
  regulator_insert_failed: 'bad',
};

/** What people read, and how it looks. */
export const STATUS = Object.fromEntries(
  Object.entries(TONES).map(([status, tone]) => [
    status,
    { label: STATUS_LABELS[status as ImportStatus | SubmissionStatus], tone },
  ]),
) as Record<ImportStatus | SubmissionStatus, { label: string; tone: Tone }>;
