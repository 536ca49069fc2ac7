/** Runs in every test file before its own code, so that its hooks run outside of the file's hooks. */
import { afterAll, aroundEach } from 'vitest';
import { aroundTest, endAll } from './cleanup.ts';

aroundEach(aroundTest);
afterAll(endAll);
