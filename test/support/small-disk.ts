/** A file system that is really full: a small one in memory, which root may mount. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryRoot } from './temporary.ts';

export const FILLER = 'filler';

export interface SmallDisk {
  directory: string;
  /** Takes all room but so many bytes. */
  leave(bytes: number): Promise<void>;
  /** Gives it back. */
  makeRoom(): Promise<void>;
  /** Once nothing uses it any more. */
  remove(): void;
}

/** Null where one may not be mounted. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const directory = mkdtempSync(join(temporaryRoot(), 'package-import-full-'));
  const options = `size=${megabytes}m,mode=0755`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status !== 0) {
    rmSync(directory, { recursive: true });
    return null;
  }
  const filler = join(directory, FILLER);
  return {
    directory,
    async leave(bytes) {
      await rm(filler, { force: true });
      const { bavail, bsize } = await statfs(directory);
      await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
    },
    makeRoom: () => rm(filler, { force: true }),
    remove() {
      execFileSync('umount', [directory]);
      rmSync(directory, { recursive: true });
    },
  };
}
