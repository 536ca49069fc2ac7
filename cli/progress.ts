/** Progress of a running command: bars on a terminal, plain lines elsewhere. */
import { createPace, formatBytes, formatDuration } from '../src/common/measures.ts';
import { createLiveView, type Output } from './screen.ts';

/** Progress of the inserts of an import. */
export interface InsertProgress {
  /** Submissions that were queued. */
  total: number;
  inserted: number;
  failed: number;
}

export interface Progress {
  /** Shows how many bytes are sent. Fewer than before, or as many, mean another attempt. */
  uploading(progress: { total: number; done: number }): void;
  importing(progress: InsertProgress): void;
  /** Shows how many of the submissions to be repeated are queued. */
  queuing(progress: { total: number; done: number }): void;
  /** Shows a line for each of several imports. */
  watching(lines: readonly string[]): void;
  /** Writes a separate line. */
  note(line: string): void;
  /** Leaves the bar as it is. Further output starts below it. */
  end(): void;
}

/** Minimum time between two lines about the same work. Output without a terminal ends up in a log. */
const LINE_EVERY_MS = 5_000;
const BAR_WIDTH = 30;

export function createProgress(output: Output): Progress {
  const view = createLiveView(output);
  let shownWork = '';
  let shownAt = Number.NEGATIVE_INFINITY;
  let sent = Number.POSITIVE_INFINITY;
  let pace = createPace();

  function show(work: string, done: number, total: number, text: string): void {
    if (work !== shownWork) view.end();
    shownWork = work;
    const now = performance.now();
    if (!output.isTTY && done < total && now - shownAt < LINE_EVERY_MS) return;
    shownAt = now;
    view.show([output.isTTY ? `${work} ${barOf(done / total)} ${text}` : text]);
  }

  return {
    uploading({ total, done }) {
      if (done <= sent) {
        pace = createPace();
        shownAt = performance.now();
      }
      sent = done;
      const percentage = Math.floor((done / total) * 100);
      const left = paceText(pace.at(done), total - done);
      show(
        'Uploading',
        done,
        total,
        `${formatBytes(done)} of ${formatBytes(total)} sent (${percentage}%)${left}`,
      );
    },
    importing({ total, inserted, failed }) {
      show('Importing', inserted + failed, total, `${inserted} of ${total} inserted, ${failed} failed`);
    },
    queuing({ total, done }) {
      show('Queuing', done, total, `${done} of ${total} queued`);
    },
    watching: (lines) => view.show(lines),
    note(line) {
      view.end();
      output.write(`${line}\n`);
    },
    end: () => view.end(),
  };
}

function barOf(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
}

function paceText(perSecond: number | null, left: number): string {
  if (perSecond === null || perSecond <= 0) return '';
  const speed = `, ${formatBytes(perSecond)}/s`;
  return left > 0 ? `${speed}, ${formatDuration(Math.ceil(left / perSecond) * 1000)} left` : speed;
}
