import { type Config, loadConfig, type Program } from './index.ts';

/** The configuration of this process: its environment, plus a file `.env` in the working directory. */
export function configOfThisProcess(program: Program): Config {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return loadConfig(process.env, process.cwd(), program);
}
