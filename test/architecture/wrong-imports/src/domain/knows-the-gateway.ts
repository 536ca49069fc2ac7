import type { worked } from '../gateway/calls-activities.ts';

export type Worked = typeof worked;
