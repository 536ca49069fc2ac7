import type { started } from '../src/bin/start.ts';

export type Shown = typeof started;
export const shown = 'a page';
