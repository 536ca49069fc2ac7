import { type Config, loadConfig } from './index.ts';

/** The configuration of this process: its environment, plus a file `.env` in the working directory. */
export function configOfThisProcess(): Config {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return loadConfig();
}
