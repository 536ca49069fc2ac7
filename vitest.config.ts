import { defineConfig } from 'vitest/config';
import { ALL_TESTS, isolatedTests, LONG_TESTS, testsOfServices } from './test/support/projects.ts';
import { ServicesFirst } from './test/support/services-first.ts';
import { IN_ONE_PROCESS, TEST_OPTIONS, WITH_SERVERS } from './test/support/test-options.ts';

const services = testsOfServices();
const isolated = isolatedTests();

export default defineConfig({
  // As the page is built (page/build.ts).
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    ...TEST_OPTIONS,
    sequence: { sequencer: ServicesFirst },
    projects: [
      {
        extends: true,
        test: { ...IN_ONE_PROCESS, name: 'quick', include: [ALL_TESTS], exclude: [...services, ...isolated] },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
      {
        extends: true,
        test: {
          ...IN_ONE_PROCESS,
          ...WITH_SERVERS,
          name: 'services',
          include: services,
          exclude: LONG_TESTS,
        },
      },
      { extends: true, test: { ...WITH_SERVERS, name: 'long', include: LONG_TESTS } },
    ],
  },
});
