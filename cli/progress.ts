/** Progress of a running command: bars on a terminal, plain lines elsewhere. */
import cliProgress, { type SingleBar } from 'cli-progress';
import { createPace, formatBytes, formatDuration } from '../src/common/measures.ts';
import type { Output } from './screen.ts';

/** Progress of the inserts of an import. */
export interface InsertProgress {
  /** Submissions that were queued. */
  total: number;
  inserted: number;
  failed: number;
}

export interface Progress {
  /** Starts the bar for a try to upload. */
  uploading(totalBytes: number): { sent(bytes: number): void };
  importing(progress: InsertProgress): void;
  /** Shows how many of the submissions to be repeated are queued. */
  queuing(progress: { total: number; done: number }): void;
  /** Writes a separate line. */
  note(line: string): void;
  /** Restores the terminal. */
  end(): void;
}

type Bar = 'upload' | 'import' | 'queue';

/** Minimum time between two lines about the same work. Output without a terminal ends up in a log. */
const LINE_EVERY_MS = 5_000;

export function createProgress(output: Output): Progress {
  return output.isTTY ? progressBars(output) : progressLines(output);
}

function progressBars(output: Output): Progress {
  let bar: SingleBar | null = null;
  let shown: Bar | null = null;

  function start(kind: Bar, format: string, total: number, payload: object): SingleBar {
    end();
    const stream = output as unknown as NodeJS.WritableStream;
    bar = new cliProgress.SingleBar(
      { format, stream, hideCursor: true, barsize: 30, linewrap: true },
      cliProgress.Presets.shades_classic,
    );
    bar.start(total, 0, payload);
    shown = kind;
    return bar;
  }

  function end(): void {
    bar?.stop();
    bar = null;
    shown = null;
  }

  return {
    uploading(totalBytes) {
      const pace = createPace();
      const size = formatBytes(totalBytes);
      const format = 'Uploading {bar} {percentage}%  {sent} of {size}{pace}';
      const upload = start('upload', format, totalBytes, { size, sent: formatBytes(0), pace: '' });
      return {
        sent(bytes) {
          const left = paceText(pace.at(bytes), totalBytes - bytes);
          upload.update(bytes, { sent: formatBytes(bytes), pace: left && `  ${left}` });
          if (bytes >= totalBytes) end();
        },
      };
    },
    importing({ total, inserted, failed }) {
      const format = 'Importing {bar} {inserted} of {total} inserted, {failed} failed';
      const current = shown === 'import' && bar ? bar : start('import', format, total, { inserted, failed });
      current.setTotal(total);
      current.update(inserted + failed, { inserted, failed });
    },
    queuing({ total, done }) {
      const format = 'Queuing {bar} {value} of {total}';
      const current = shown === 'queue' && bar ? bar : start('queue', format, total, {});
      current.update(done);
      if (done >= total) end();
    },
    note(line) {
      end();
      output.write(`${line}\n`);
    },
    end,
  };
}

function progressLines(output: Output): Progress {
  const say = (line: string) => output.write(`${line}\n`);
  let saidAt = Number.NEGATIVE_INFINITY;
  let said = '';
  const sayNowAndThen = (line: string, isLast: boolean) => {
    const now = performance.now();
    if (line === said || (!isLast && now - saidAt < LINE_EVERY_MS)) return;
    saidAt = now;
    said = line;
    say(line);
  };
  return {
    uploading(totalBytes) {
      const pace = createPace();
      saidAt = performance.now();
      return {
        sent(bytes) {
          const percentage = Math.floor((bytes / totalBytes) * 100);
          const left = paceText(pace.at(bytes), totalBytes - bytes);
          const line = `${formatBytes(bytes)} of ${formatBytes(totalBytes)} sent (${percentage}%)${left && `, ${left}`}`;
          sayNowAndThen(line, bytes >= totalBytes);
        },
      };
    },
    importing({ total, inserted, failed }) {
      sayNowAndThen(`${inserted} of ${total} inserted, ${failed} failed`, inserted + failed >= total);
    },
    queuing({ total, done }) {
      sayNowAndThen(`${done} of ${total} queued`, done >= total);
    },
    note: say,
    end: () => {},
  };
}

function paceText(perSecond: number | null, left: number): string {
  if (perSecond === null || perSecond <= 0) return '';
  const speed = `${formatBytes(perSecond)}/s`;
  return left > 0 ? `${speed}, ${formatDuration(Math.ceil(left / perSecond) * 1000)} left` : speed;
}
