/**
 * Named connections with their secrets, in a file of their owner. The system's keyring would need a native library,
 * which a single file for every platform cannot contain.
 */
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import * as z from 'zod';
import { AUTH_METHODS } from './client/options.ts';
import { UsageError } from './outcome.ts';

/** The profile that is used if neither an option nor a variable names one. */
export const DEFAULT_PROFILE = 'default';

/** Keys are the names of the options, so that either can replace the other. */
const profile = z.object({
  gateway: z.string(),
  tokenUrl: z.string(),
  clientId: z.string(),
  issuer: z.string().optional(),
  authMethod: z.enum(AUTH_METHODS).optional(),
  keyFile: z.string().optional(),
  scope: z.string().optional(),
  audience: z.string().optional(),
});
export type Profile = z.infer<typeof profile>;

const profiles = z.record(z.string(), profile.extend({ clientSecret: z.string().optional() }));
type Profiles = z.infer<typeof profiles>;

export interface ProfileStore {
  /** Shown in messages. */
  readonly directory: string;
  /** Without their secrets. */
  list(): Promise<Readonly<Record<string, Profile>>>;
  /** Undefined if there is none. */
  secretOf(name: string): Promise<string | undefined>;
  /** @param secret null for none; a stored one is then removed */
  save(name: string, profile: Profile, secret: string | null): Promise<void>;
  /** @returns whether it existed */
  remove(name: string): Promise<boolean>;
}

/** All methods throw UsageError for a damaged file, and for one that others may read. */
export function createProfileStore(directory: string, platform: NodeJS.Platform): ProfileStore {
  const file = join(directory, 'profiles.json');

  async function read(): Promise<Profiles> {
    // On Windows the directory is private by its access-control list, and modes have no meaning.
    const mode = platform === 'win32' ? 0 : ((await stat(file).catch(() => null))?.mode ?? 0);
    if ((mode & 0o077) !== 0)
      throw new UsageError(`Other users can read ${file}. Make it private with: chmod 600 ${file}`);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw new UsageError(`${file} cannot be read: ${error.message}.`);
    });
    try {
      return profiles.parse(JSON.parse(text));
    } catch {
      // The parser's message could contain a secret.
      throw new UsageError(`${file} is damaged. Remove it, and log in again with: package-import login`);
    }
  }

  /** Atomic: a crash leaves the old file. */
  async function write(content: Profiles): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const partial = `${file}.${process.pid}`;
    await writeFile(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    // A file left by a crash keeps its old mode.
    await chmod(partial, 0o600);
    await rename(partial, file);
  }

  return {
    directory,
    async list() {
      const known = Object.entries(await read());
      return Object.fromEntries(known.map(([name, { clientSecret: _, ...shown }]) => [name, shown]));
    },
    secretOf: async (name) => (await read())[name]?.clientSecret,
    async save(name, profile, secret) {
      const stored = { ...profile, ...(secret !== null && { clientSecret: secret }) };
      await write({ ...(await read()), [name]: stored });
    },
    async remove(name) {
      const known = await read();
      if (!Object.hasOwn(known, name)) return false;
      const { [name]: _, ...others } = known;
      await write(others);
      return true;
    },
  };
}

interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

const NAME = 'package-import';

/**
 * The directory in which `login` stores connections: PACKAGE_IMPORT_CONFIG_DIR, else the platform's directory. That is
 * `%APPDATA%` on Windows, elsewhere that of the XDG Base Directory Specification, which forbids relative paths.
 */
export function configDirectory({ platform, env, home }: Machine): string {
  if (env.PACKAGE_IMPORT_CONFIG_DIR) return env.PACKAGE_IMPORT_CONFIG_DIR;
  if (platform === 'win32') return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), NAME);
  const given = env.XDG_CONFIG_HOME;
  return posix.join(given && posix.isAbsolute(given) ? given : posix.join(home, '.config'), NAME);
}
