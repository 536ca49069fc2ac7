import { work } from '../../activities/work.ts';
import { shown } from '../app/knows-a-process.ts';

export const worked = work();
export const told = shown;
