/**
 * Named connections: `profiles.json` with what everybody may know, `secrets.json` with what nobody else may. A
 * keyring of the system would need a native library, which one file for every platform cannot bring along.
 */
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AUTH_METHODS } from './client/client-credentials.ts';
import { UsageError } from './outcome.ts';

/** What is taken where neither an option nor a variable names one. */
export const DEFAULT_PROFILE = 'default';

/** By the names of the options, so that either can stand for the other. */
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
  /** For messages. */
  readonly directory: string;
  list(): Promise<Readonly<Record<string, Profile>>>;
  /** Undefined where there is none. */
  secretOf(name: string): Promise<string | undefined>;
  /** @param secret null: there is none, and a stored one is removed */
  save(name: string, profile: Profile, secret: string | null): Promise<void>;
  /** @returns whether there was one */
  remove(name: string): Promise<boolean>;
}

/** All methods throw UsageError for files that are damaged, and secrets that others may read. */
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
      // What is wrong with it could have a secret in it.
      throw new UsageError(`${file} is damaged. Remove it, and log in again: package-import login`);
    }
  }

  async function readSecrets(): Promise<Record<string, string>> {
    // On Windows the directory is the user's own by its access-control list, and modes mean nothing.
    const mode = platform === 'win32' ? 0 : ((await stat(secretsFile).catch(() => null))?.mode ?? 0);
    if ((mode & 0o077) !== 0)
      throw new UsageError(
        `Others may read ${secretsFile}. To keep it to yourself: chmod 600 ${secretsFile}`,
      );
    return read(secretsFile, secrets);
  }

  /** A crash leaves the file as it was. */
  async function write(file: string, content: object): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const partial = `${file}.${process.pid}`;
    await writeFile(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    // The mode of before, where a crash has left one.
    await chmod(partial, 0o600);
    await rename(partial, file);
  }

  async function change(name: string, profile: Profile | null, secret: string | null): Promise<boolean> {
    const [known, { [name]: _old, ...others }] = await Promise.all([
      read(profilesFile, profiles),
      readSecrets(),
    ]);
    const { [name]: before, ...rest } = known;
    // The secret first goes, and comes last: it never stands beside another connection than its own.
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
