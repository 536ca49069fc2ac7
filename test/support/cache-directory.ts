import { loadConfig } from '../../src/config/index.ts';

/** What was downloaded or built once, shared with the service as this user runs it. */
export const CACHE_DIRECTORY = loadConfig({}).cacheDir;
