import { loadConfig } from '../../src/config/index.ts';

/** Directory of downloads and builds. It is the one that the service uses under this user. */
export const CACHE_DIRECTORY = loadConfig({}).cacheDir;
