import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Temporal's native core and our worker threads want processes of their own (design §10).
    pool: 'forks',
    maxWorkers: 2,
    // More than two waits for a condition (test/support/eventually.ts): those tell better what is missing.
    testTimeout: 150_000,
    hookTimeout: 150_000,
    teardownTimeout: 30_000,
    restoreMocks: true,
  },
});
