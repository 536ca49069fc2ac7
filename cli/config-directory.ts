/** The directory in which `login` stores connections. */
import { posix, win32 } from 'node:path';

export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

const NAME = 'package-import';

/**
 * PACKAGE_IMPORT_CONFIG_DIR, else the platform's directory: `%APPDATA%` on Windows, elsewhere the XDG Base Directory
 * Specification, which forbids relative paths.
 */
export function configDirectory({ platform, env, home }: Machine): string {
  if (env.PACKAGE_IMPORT_CONFIG_DIR) return env.PACKAGE_IMPORT_CONFIG_DIR;
  if (platform === 'win32') return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), NAME);
  const given = env.XDG_CONFIG_HOME;
  return posix.join(given && posix.isAbsolute(given) ? given : posix.join(home, '.config'), NAME);
}
