/** Settings of a whole service with its own data directory and ports. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortOffset } from './free-ports.ts';

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
