/**
 * Limits the duration of an upload: it may last while data moves, up to a limit that grows with the file size. One
 * timeout for all calls would be too short for a large file, or too long for other calls.
 */
import { Readable } from 'node:stream';

interface UploadPace {
  /** Longest time without progress, in milliseconds; also the base of the time limit for the answer. */
  idleMs: number;
  /** Lowest average rate; a slower upload is aborted. */
  minBytesPerSecond: number;
}

/** Assumed rate at which the server checks a complete file before it answers. */
const CHECKED_BYTES_PER_SECOND = 10 * 1024 * 1024;
/** Size of a unit of progress: several fit into the idle time, also over a slow line. */
const PIECE_BYTES = 64 * 1024;

interface WatchedUpload {
  body: Readable;
  /** Aborted with the reason when the upload exceeds a limit. */
  signal: AbortSignal;
  /** Stops the timers; called after the answer or a failure. */
  end(): void;
}

export function watchUpload(
  content: Readable,
  sizeBytes: number,
  { idleMs, minBytesPerSecond }: UploadPace,
): WatchedUpload {
  const controller = new AbortController();
  const giveUp = (reason: string) => controller.abort(new Error(reason));
  const inTotalMs = idleMs + Math.ceil((sizeBytes / minBytesPerSecond) * 1000);
  const total = setTimeout(giveUp, inTotalMs, `sending ${sizeBytes} bytes took longer than ${inTotalMs} ms`);
  let waiting = setTimeout(giveUp, idleMs, `it accepted no data for ${idleMs} ms`);

  async function* watched(): AsyncGenerator<Buffer> {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        waiting.refresh();
        yield chunk.subarray(at, at + PIECE_BYTES);
      }
    }
    clearTimeout(waiting);
    const answerMs = idleMs + Math.ceil((sizeBytes / CHECKED_BYTES_PER_SECOND) * 1000);
    waiting = setTimeout(giveUp, answerMs, `the file was sent, but there was no answer for ${answerMs} ms`);
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
