import type { Worked } from '../domain/knows-the-gateway.ts';

export type Shown = Worked;
export const shown = 'a page';
