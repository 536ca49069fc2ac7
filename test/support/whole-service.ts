/** The whole service as `npm start` runs it, for scripts: on free ports, with its data in a directory of its own. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/config.ts';
import {
  startWholeService as start,
  type WholeService as Whole,
} from '../../src/processes/whole-service/whole-service.ts';
import { freePorts } from './free-ports.ts';

export interface WholeService {
  config: Config;
  stack: Whole;
  /** For whatever the script needs besides; gone after the stop. */
  directory: string;
  stop(): Promise<void>;
}

const PORTS = [
  'PORT',
  'POSTGRES_PORT',
  'TEMPORAL_PORT',
  'TEMPORAL_UI_PORT',
  'IAM_PORT',
  'REGULATOR_PORT',
  'MAIL_PORT',
  'MAIL_UI_PORT',
];

export interface ServiceSettings {
  env: NodeJS.ProcessEnv;
  /** Holds DATA_DIR, and whatever else is put there. */
  directory: string;
  /** Once nothing runs any more. */
  remove(): Promise<void>;
}

export async function newServiceSettings(settings: Record<string, string>): Promise<ServiceSettings> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-service-'));
  // PostgreSQL may run as a user of its own, who has to get through.
  await chmod(directory, 0o711);
  const numbers = await freePorts(PORTS.length);
  const ports = Object.fromEntries(PORTS.map((name, index) => [name, String(numbers[index])]));
  return {
    env: { ...process.env, ...ports, DATA_DIR: join(directory, 'data'), ...settings },
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** @throws with the reason, when it does not start; nothing is left behind then */
export async function startWholeService(
  settings: Record<string, string>,
  say: (line: string) => void,
): Promise<WholeService> {
  const { env, directory, remove } = await newServiceSettings(settings);
  try {
    const config = loadConfig(env);
    const stack = await start(config, env, say);
    return {
      config,
      stack,
      directory,
      async stop() {
        await stack.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
