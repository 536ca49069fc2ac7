/** A file system of a few megabytes that really gets full. It is in memory and needs root to be mounted. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './cleanup.ts';

export const FILLER = 'filler';
const CHUNK = Buffer.alloc(256 * 1024);

export interface SmallDisk {
  directory: string;
  /** Fills the disk up to this many free bytes. */
  leave(bytes: number): Promise<void>;
  /** Frees the filled room. */
  makeRoom(): Promise<void>;
}

/**
 * The disk is removed at the end, also when this process ends. Null if this user may not mount one.
 *
 * @param parent directory of the mount point
 */
export function mountSmallDisk(megabytes: number, parent = tmpdir()): SmallDisk | null {
  const directory = mkdtempSync(join(parent, 'package-import-full-'));
  const options = `size=${megabytes}m,mode=0755`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status !== 0) {
    rmSync(directory, { recursive: true });
    return null;
  }
  const remove = () => {
    process.removeListener('exit', remove);
    spawnSync('umount', [directory]);
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', remove);
  atEnd(remove);
  const filler = join(directory, FILLER);
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  };
  return {
    directory,
    async leave(bytes) {
      const file = await open(filler, 'w');
      try {
        for (let room = await freeBytes(); room > bytes; room = await freeBytes())
          await file.write(CHUNK, 0, Math.min(CHUNK.length, room - bytes));
      } catch (error) {
        // Other writers may take room at the same time.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    makeRoom: () => rm(filler, { force: true }),
  };
}
