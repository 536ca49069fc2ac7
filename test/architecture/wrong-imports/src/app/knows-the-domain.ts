import type { Worked } from '../domain/knows-the-gateway.ts';

export const shown: Worked[] = [];
