import { defineConfig } from 'vitest/config';
import { TEST_OPTIONS, WITH_SERVERS } from '../support/test-options.ts';

/** Their names do not end in `.test.ts`: `npm run prove` names one of them. */
export default defineConfig({
  test: {
    ...TEST_OPTIONS,
    ...WITH_SERVERS,
    include: ['page-memory', 'page-speed'].map((name) => `test/large/${name}.ts`),
  },
});
