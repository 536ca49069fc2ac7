/**
 * For how long the sending of a file may take: as long as something moves, within a limit that grows with its size. One
 * time for all calls would be too short for a large file, or too long for everything else.
 */
import { Readable } from 'node:stream';

export interface UploadPace {
  /** Milliseconds for which nothing may move; also what the answer may take at least. */
  idleMs: number;
  /** Who takes fewer, on average, is given up. */
  leastBytesPerSecond: number;
}

/** Bytes per second that the other side has to check, once it has them all, before it answers. */
const CHECKED_BYTES_PER_SECOND = 10 * 1024 * 1024;
/** What counts as a move: also over a slow line several come within the idle time. */
const PIECE_BYTES = 64 * 1024;

export interface WatchedUpload {
  body: Readable;
  /** Aborted, with the reason, when it takes too long. */
  signal: AbortSignal;
  /** To be called when the answer is there, or will not come. */
  end(): void;
}

export function watchUpload(
  content: Readable,
  sizeBytes: number,
  { idleMs, leastBytesPerSecond }: UploadPace,
): WatchedUpload {
  const controller = new AbortController();
  const giveUp = (reason: string) => controller.abort(new Error(reason));
  const inTotalMs = idleMs + (sizeBytes / leastBytesPerSecond) * 1000;
  const total = setTimeout(giveUp, inTotalMs, `sending ${sizeBytes} bytes took longer than ${inTotalMs} ms`);
  let waiting = setTimeout(giveUp, idleMs, `nothing was taken for ${idleMs} ms`);

  async function* watched(): AsyncGenerator<Buffer> {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        waiting.refresh();
        yield chunk.subarray(at, at + PIECE_BYTES);
      }
    }
    clearTimeout(waiting);
    const answerMs = idleMs + (sizeBytes / CHECKED_BYTES_PER_SECOND) * 1000;
    waiting = setTimeout(giveUp, answerMs, `it was sent, and there was no answer for ${answerMs} ms`);
  }

  return {
    body: Readable.from(watched(), { objectMode: false, highWaterMark: PIECE_BYTES }),
    signal: controller.signal,
    end() {
      clearTimeout(total);
      clearTimeout(waiting);
    },
  };
}
