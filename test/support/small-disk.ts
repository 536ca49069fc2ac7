/** A directory on a file system of a few megabytes, which really gets full: in memory, where root may mount one. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

export interface SmallDisk {
  directory: string;
  /** Leaves so many bytes, until `empty`. */
  fill(leave: number): Promise<void>;
  /** Takes away what `fill` has put there. */
  empty(): Promise<void>;
  remove(): void;
}

const FILLER = 'filler';
const CHUNK = Buffer.alloc(256 * 1024);

/** Null where this user may not mount a file system. @param parent a directory */
export function mountSmallDisk(parent: string, megabytes: number): SmallDisk | null {
  const directory = mkdtempSync(join(parent, 'small-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]);
  if (mounted.status !== 0) {
    rmSync(directory, { recursive: true });
    return null;
  }
  // However this process ends.
  const remove = () => {
    process.removeListener('exit', remove);
    spawnSync('umount', [directory]);
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const filler = join(directory, FILLER);
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  };
  return {
    directory,
    async fill(leave) {
      const file = await open(filler, 'w');
      try {
        for (let room = await freeBytes(); room > leave; room = await freeBytes())
          await file.write(CHUNK, 0, Math.min(CHUNK.length, room - leave));
      } catch (error) {
        // Others write as well.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    empty: () => rm(filler, { force: true }),
    remove,
  };
}

/** What stands beside the archive's own folders. */
export function isFiller(path: string): boolean {
  return path === FILLER;
}
