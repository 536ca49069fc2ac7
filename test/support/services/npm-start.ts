/** `npm start` as a function: the whole service on free ports, with a data directory of its own. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../../src/config/index.ts';
import { startWholeService, type WholeService } from '../../../src/processes/whole-service/whole-service.ts';
import { freePortOffset } from '../free-ports.ts';

export interface NpmStart extends WholeService {
  config: Config;
  /** For further files of the script; removed after the stop. */
  directory: string;
}

export interface ServiceSettings {
  env: NodeJS.ProcessEnv;
  /** Contains DATA_DIR and further files. */
  directory: string;
  /** Call it when nothing runs any more. */
  remove(): Promise<void>;
}

export async function newServiceSettings(settings: Record<string, string>): Promise<ServiceSettings> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-service-'));
  // PostgreSQL may run as another user, who needs access to the directory.
  await chmod(directory, 0o711);
  const PORT_OFFSET = String(await freePortOffset());
  return {
    env: { ...process.env, PORT_OFFSET, DATA_DIR: join(directory, 'data'), ...settings },
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Runs `npm start` in this process. @throws with the reason, when it does not start; nothing is left behind then */
export async function npmStart(
  settings: Record<string, string>,
  say: (line: string) => void,
): Promise<NpmStart> {
  const { env, directory, remove } = await newServiceSettings(settings);
  try {
    const config = loadConfig(env);
    const service = await startWholeService(config, env, say);
    return {
      ...service,
      config,
      directory,
      async stop() {
        await service.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
