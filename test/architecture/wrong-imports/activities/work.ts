import { started } from '../src/processes/start.ts';

export const work = () => started;
