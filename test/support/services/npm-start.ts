/** The whole service as `npm start` runs it, called as a function: on free ports, with its data in a directory of its own. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../../src/config/index.ts';
import { startWholeService, type WholeService } from '../../../src/processes/whole-service/whole-service.ts';
import { freePortOffset } from '../free-ports.ts';

export interface NpmStart extends WholeService {
  config: Config;
  /** For whatever the script needs besides; gone after the stop. */
  directory: string;
}

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
  const PORT_OFFSET = String(await freePortOffset());
  return {
    env: { ...process.env, PORT_OFFSET, DATA_DIR: join(directory, 'data'), ...settings },
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** As `npm start`, in this process. @throws with the reason, when it does not start; nothing is left behind then */
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
