/** Options for every test, independent of the runner. */
import type { TestUserConfig } from 'vitest/config';

export const TEST_OPTIONS: TestUserConfig = {
  // Temporal's native core and the worker threads need processes of their own (decision §real-servers-in-tests).
  pool: 'forks',
  // Half of the time a test waits: four processes keep two cores busy.
  maxWorkers: 4,
  // Longer than two waits for a condition (test/support/eventually.ts), whose errors name the missing condition.
  testTimeout: 150_000,
  hookTimeout: 150_000,
  teardownTimeout: 30_000,
  restoreMocks: true,
  setupFiles: ['test/support/setup.ts'],
};

/** For tests that need PostgreSQL and Temporal. */
export const WITH_SERVERS: TestUserConfig = { globalSetup: ['test/support/global-setup.ts'] };

/**
 * Each process runs many files, and loads a module once. Node loads the modules, as it does for the service. Vite would
 * load them again for every file.
 */
export const IN_ONE_PROCESS: TestUserConfig = {
  isolate: false,
  // A process keeps some megabytes of each stack, and collects garbage late.
  execArgv: ['--max-old-space-size=1000'],
  experimental: { viteModuleRunner: false, nodeLoader: false },
};
