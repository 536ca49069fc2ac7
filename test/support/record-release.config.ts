/** `npm run prove -- record-release`. */
import { defineConfig } from 'vitest/config';
import { TEST_OPTIONS, WITH_SERVERS } from './test-options.ts';

export default defineConfig({
  test: {
    ...TEST_OPTIONS,
    ...WITH_SERVERS,
    include: ['test/replay/record.ts', 'test/database/record-release.ts'],
  },
});
