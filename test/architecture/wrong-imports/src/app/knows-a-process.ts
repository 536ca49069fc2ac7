import type { started } from '../bin/start.ts';

export type Shown = typeof started;
export const shown = 'a page';
