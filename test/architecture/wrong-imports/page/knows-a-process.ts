import type { started } from '../src/processes/start.ts';

export type Shown = typeof started;
export const shown = 'a page';
