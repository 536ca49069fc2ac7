import { readFileSync } from 'node:fs';
import { work } from '../activities/work.ts';

export const read = () => readFileSync(String(work()));
