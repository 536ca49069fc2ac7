import { work } from '../../activities/work.ts';

export const worked = work();
