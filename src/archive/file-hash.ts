/** SHA-256 of a file during its write, on the event loop or in a thread (decision §uploads). */
import { createHash } from 'node:crypto';
import { Piscina } from 'piscina';
import type { HashTask } from './hash-worker.ts';

export interface FileHash {
  /** Adds pieces. Resolves when they are hashed. */
  update(pieces: readonly Buffer[]): Promise<void>;
  /** Hexadecimal, of all pieces; may be called once. */
  digest(): Promise<string>;
  /** Replaces `digest` for a file that stays incomplete. */
  forget(): void;
}

export function hashAtOnce(): FileHash {
  const hash = createHash('sha256');
  return {
    async update(pieces) {
      for (const piece of pieces) hash.update(piece);
    },
    digest: async () => hash.digest('hex'),
    forget() {},
  };
}

/**
 * Hashes files in one thread, which starts with the first file. The memory of the pieces is transferred to the thread and
 * freed there. The caller cannot read them afterwards.
 */
export function createHashThread(): { start(): FileHash } {
  let pool: Piscina<HashTask, string | undefined> | undefined;
  let nextFile = 1;
  return {
    start() {
      pool ??= startPool();
      const file = nextFile;
      nextFile += 1;
      return hashInThread(pool, file);
    },
  };
}

function hashInThread(thread: Piscina<HashTask, string | undefined>, file: number): FileHash {
  let offset = 0;
  return {
    async update(pieces) {
      const given = pieces.map(inMemoryOfItsOwn);
      const task: HashTask = { file, offset, pieces: given };
      offset += given.reduce((sum, { length }) => sum + length, 0);
      await thread.run(task, { transferList: given.map(({ buffer }) => buffer) });
    },
    digest: async () => String(await thread.run({ file, offset, whole: true })),
    forget: () => void thread.run({ file, forget: true }).catch(() => {}),
  };
}

function startPool() {
  const filename = new URL('./hash-worker.ts', import.meta.url).href;
  const started = new Piscina<HashTask, string | undefined>({ filename, minThreads: 1, maxThreads: 1 });
  // Without a listener, a thread that ends between two tasks would end the process. The pool starts another thread.
  started.on('error', () => {});
  return started;
}

/** Copies a piece that shares its memory with other bytes. */
function inMemoryOfItsOwn(piece: Buffer): Uint8Array<ArrayBuffer> {
  const alone = piece.buffer instanceof ArrayBuffer && piece.buffer.byteLength === piece.length;
  return alone ? (piece as Uint8Array<ArrayBuffer>) : new Uint8Array(piece);
}
