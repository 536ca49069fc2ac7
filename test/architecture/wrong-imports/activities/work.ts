import { started } from '../src/bin/start.ts';

export const work = () => started;
