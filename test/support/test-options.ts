/** How every test is run, whatever starts it. */
import type { TestUserConfig } from 'vitest/config';

export const TEST_OPTIONS: TestUserConfig = {
  // Temporal's native core and our worker threads want processes of their own (decision §real-servers-in-tests).
  pool: 'forks',
  maxWorkers: 2,
  // More than two waits for a condition (test/support/eventually.ts): those tell better what is missing.
  testTimeout: 150_000,
  hookTimeout: 150_000,
  teardownTimeout: 30_000,
  restoreMocks: true,
};

/** For those that need PostgreSQL and Temporal. */
export const WITH_SERVERS: TestUserConfig = { globalSetup: ['test/support/global-setup.ts'] };
