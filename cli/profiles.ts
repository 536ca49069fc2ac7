/**
 * Named connections: `profiles.json` holds the public part, `secrets.json` the secrets. The system's keyring
 * would need a native library, which a single file for every platform cannot contain.
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

const profiles = z.record(z.string(), profile);
const secrets = z.record(z.string(), z.string());

export interface ProfileStore {
  /** Shown in messages. */
  readonly directory: string;
  list(): Promise<Readonly<Record<string, Profile>>>;
  /** Undefined if there is none. */
  secretOf(name: string): Promise<string | undefined>;
  /** @param secret null for none; a stored one is then removed */
  save(name: string, profile: Profile, secret: string | null): Promise<void>;
  /** @returns whether it existed */
  remove(name: string): Promise<boolean>;
}

/** All methods throw UsageError for damaged files, and for secrets that others may read. */
export function createProfileStore(directory: string, platform: NodeJS.Platform): ProfileStore {
  const profilesFile = join(directory, 'profiles.json');
  const secretsFile = join(directory, 'secrets.json');

  async function read<T>(file: string, schema: z.ZodType<Record<string, T>>): Promise<Record<string, T>> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw new UsageError(`${file} cannot be read: ${error.message}.`);
    });
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      // The parser's message could contain a secret.
      throw new UsageError(`${file} is damaged. Remove it, and log in again with: package-import login`);
    }
  }

  async function readSecrets(): Promise<Record<string, string>> {
    // On Windows the directory is private by its access-control list, and modes have no meaning.
    const mode = platform === 'win32' ? 0 : ((await stat(secretsFile).catch(() => null))?.mode ?? 0);
    if ((mode & 0o077) !== 0)
      throw new UsageError(
        `Other users can read ${secretsFile}. Make it private with: chmod 600 ${secretsFile}`,
      );
    return read(secretsFile, secrets);
  }

  /** Atomic: a crash leaves the old file. */
  async function write(file: string, content: object): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const partial = `${file}.${process.pid}`;
    await writeFile(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    // A file left by a crash keeps its old mode.
    await chmod(partial, 0o600);
    await rename(partial, file);
  }

  async function change(name: string, profile: Profile | null, secret: string | null): Promise<boolean> {
    const [known, { [name]: _old, ...others }] = await Promise.all([
      read(profilesFile, profiles),
      readSecrets(),
    ]);
    const { [name]: before, ...rest } = known;
    // The old secret is removed first and the new one added last: it is never stored with another connection.
    await write(secretsFile, others);
    await write(profilesFile, profile ? { ...rest, [name]: profile } : rest);
    if (secret !== null) await write(secretsFile, { ...others, [name]: secret });
    return before !== undefined;
  }

  return {
    directory,
    list: () => read(profilesFile, profiles),
    secretOf: async (name) => (await readSecrets())[name],
    async save(name, profile, secret) {
      await change(name, profile, secret);
    },
    remove: (name) => change(name, null, null),
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
