import { defineConfig } from 'vitest/config';
import { ALL_TESTS, LONG_TESTS, testsOfServices } from './test/support/projects.ts';
import { TEST_OPTIONS, WITH_SERVERS } from './test/support/test-options.ts';

const services = testsOfServices();

export default defineConfig({
  // As the page is built (page/build.ts).
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    ...TEST_OPTIONS,
    projects: [
      { extends: true, test: { name: 'quick', include: [ALL_TESTS], exclude: services } },
      { extends: true, test: { ...WITH_SERVERS, name: 'services', include: services, exclude: LONG_TESTS } },
      { extends: true, test: { ...WITH_SERVERS, name: 'long', include: LONG_TESTS } },
    ],
  },
});
