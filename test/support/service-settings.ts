/** Settings of a whole service with its own data directory and ports. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { freePortOffset } from './free-ports.ts';
import { temporaryDirectory } from './temporary.ts';

interface ServiceSettings {
  env: NodeJS.ProcessEnv;
  /** Contains DATA_DIR and further files. It is removed at the end. */
  directory: string;
}

export async function newServiceSettings(settings: Record<string, string>): Promise<ServiceSettings> {
  const directory = await temporaryDirectory();
  // PostgreSQL may run as another user, who needs access to the directory.
  await chmod(directory, 0o711);
  const PORT_OFFSET = String(await freePortOffset());
  return {
    env: { ...process.env, PORT_OFFSET, DATA_DIR: join(directory, 'data'), ...settings },
    directory,
  };
}
