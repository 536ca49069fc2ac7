/** SHA-256 of a file while it is being written, at once or in a thread (decision §uploads). */
import { createHash } from 'node:crypto';
import { Piscina } from 'piscina';
import type { HashTask } from './hash-worker.ts';

export interface FileHash {
  /** The next pieces, behind those that are hashed; resolves when these are. */
  update(pieces: readonly Buffer[]): Promise<void>;
  /** Hexadecimal, of all pieces; once. */
  digest(): Promise<string>;
  /** Instead of `digest`, for a file that does not become whole. */
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

let pool: Piscina<HashTask, string | undefined> | undefined;
let nextFile = 1;

/**
 * In the one thread that the process has for it, which starts with the first file. The memory of the pieces goes there
 * and is freed there: nobody else can read them from then on.
 */
export function hashInThread(): FileHash {
  pool ??= startPool();
  const thread = pool;
  const file = nextFile;
  nextFile += 1;
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
  // A thread that ends between two tasks: without a listener its end would be the process's. The pool starts another.
  started.on('error', () => {});
  return started;
}

/** What shares its memory with other bytes is copied. */
function inMemoryOfItsOwn(piece: Buffer): Uint8Array<ArrayBuffer> {
  const alone = piece.buffer instanceof ArrayBuffer && piece.buffer.byteLength === piece.length;
  return alone ? (piece as Uint8Array<ArrayBuffer>) : new Uint8Array(piece);
}
