import { work } from '../../activities/work.ts';
import { shown } from '../../page/knows-a-process.ts';

export const worked = work();
export const told = shown;
