/** What people read, and how it looks, for each status of the API. */
import type { components } from '../api/generated/api.d.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

export type ImportStatus = components['schemas']['ImportSummary']['status'];
export type SubmissionStatus = keyof components['schemas']['StatusCounts'];

export const STATUS: Record<ImportStatus | SubmissionStatus, { label: string; tone: Tone }> = {
  extracting: { label: 'Reading', tone: 'busy' },
  inserting: { label: 'Inserting', tone: 'busy' },
  completed: { label: 'Completed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'idle' },
  local: { label: 'Not sent', tone: 'idle' },
  regulator_inserting: { label: 'Inserting', tone: 'busy' },
  regulator_inserted: { label: 'Inserted', tone: 'good' },
  regulator_insert_failed: { label: 'Failed', tone: 'bad' },
};
