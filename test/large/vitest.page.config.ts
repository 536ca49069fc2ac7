import { defineConfig } from 'vitest/config';
import { TEST_OPTIONS, WITH_SERVERS } from '../support/test-options.ts';

export default defineConfig({
  test: {
    ...TEST_OPTIONS,
    ...WITH_SERVERS,
    include: ['test/large/page-memory.ts', 'test/large/page-speed.ts'],
  },
});
