import { work } from '../../activities/work.ts';
import { shown } from '../app/knows-the-domain.ts';

export const worked = work();
export const told = shown;
