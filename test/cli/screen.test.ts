/** Bars and rewritten lines on a terminal, plain lines elsewhere. */
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgress } from '../../cli/progress.ts';
import { runCommand } from '../../cli/run.ts';
import { createLiveView } from '../../cli/screen.ts';
import { run } from '../support/command.ts';
import { answer, startFakeService } from '../support/fake-service.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals begin with one
const ESCAPES = /\x1b\[[0-9;?]*[A-Za-z]|\x1b[78]/g;

function screen(isTTY: boolean) {
  let text = '';
  const output = {
    isTTY,
    columns: 100,
    write(part: string) {
      text += part;
      return true;
    },
  };
  return { output, text: () => text };
}

describe('on a terminal', () => {
  it('an upload bar is followed by an import bar, and the cursor stays visible', () => {
    const { output, text } = screen(true);
    const progress = createProgress(output);
    progress.uploading({ total: 4 * 1024 * 1024, done: 1024 * 1024 });
    progress.uploading({ total: 4 * 1024 * 1024, done: 4 * 1024 * 1024 });
    progress.importing({ total: 4, inserted: 0, failed: 0 });
    progress.importing({ total: 4, inserted: 2, failed: 1 });
    progress.end();
    const plain = text().replace(ESCAPES, '');
    expect(plain).toMatch(/Uploading █+ 4 MB of 4 MB sent \(100%\)/);
    expect(plain).toMatch(/Importing █+░+ 2 of 4 inserted, 1 failed/);
    expect(plain.indexOf('Uploading')).toBeLessThan(plain.indexOf('Importing'));
    expect(text()).not.toContain('\u001b[?25l');
  });

  it('a message ends the bar, and the next attempt starts another', () => {
    const { output, text } = screen(true);
    const progress = createProgress(output);
    progress.uploading({ total: 100, done: 50 });
    progress.note('Trying again.');
    progress.uploading({ total: 100, done: 100 });
    const plain = text().replace(ESCAPES, '');
    expect(plain).toMatch(/50%.*\nTrying again\.\n.*100%/s);
  });

  it('the number of queued products is shown, and a message ends the bar', () => {
    const { output, text } = screen(true);
    const progress = createProgress(output);
    progress.queuing({ total: 3, done: 1 });
    progress.note('Trying again.');
    progress.queuing({ total: 3, done: 3 });
    const plain = text().replace(ESCAPES, '');
    expect(plain).toMatch(/Queuing .* 1 of 3.*\nTrying again\.\n.*Queuing .* 3 of 3/s);
    expect(text()).not.toContain('\u001b[?25l');
  });
});

describe('elsewhere', () => {
  it('lines without escape sequences are written, with pauses between them', () => {
    const { output, text } = screen(false);
    const progress = createProgress(output);
    for (let done = 16; done <= 1024; done += 16) progress.uploading({ total: 1024, done });
    progress.importing({ total: 2, inserted: 1, failed: 1 });
    progress.importing({ total: 2, inserted: 1, failed: 1 });
    const lines = text().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('1 KB of 1 KB sent (100%)');
    expect(lines.slice(1)).toEqual(['1 of 2 inserted, 1 failed', '']);
    expect(text()).not.toMatch(ESCAPES);
  });
});

function liveView(isTTY: boolean) {
  const written: string[] = [];
  const output = { isTTY, rows: 5, columns: 20, write: (text: string) => written.push(text) };
  return { view: createLiveView(output), written };
}

it('lines on a terminal are overwritten, and never exceed its height', () => {
  const { view, written } = liveView(true);
  view.show(['one']);
  view.show(['a', 'b', 'c', 'd', 'e']);
  view.show(['a line that is far too long', 'evil\u001b[2J']);
  expect(written).toEqual([
    '\u001b[0Jone\n',
    '\u001b[1A\u001b[0Ja\nb\nc\n… and 2 more\n',
    '\u001b[4A\u001b[0Ja line that is far \nevil\\u{1b}[2J\n',
  ]);
});

it('lines elsewhere are written when they change', () => {
  const { view, written } = liveView(false);
  view.show(['a 1', 'b 1']);
  view.show(['a 1', 'b 2']);
  view.show(['a 1', 'b 2']);
  expect(written).toEqual(['a 1\n', 'b 1\n', 'b 2\n']);
});

it('watch shows the running imports of every page', async () => {
  const summary = { id: 500, status: 'inserting', comment: null, progress: {} };
  const stopped = new AbortController();
  const pages: string[] = [];
  const { options } = await startFakeService(({ request, response }) => {
    const isRunning = request.url?.includes('status=inserting') ?? false;
    if (isRunning && pages.push(request.url ?? '') === 2) stopped.abort(new Error('stopped'));
    const data = { imports: isRunning ? [summary] : [], counts: null, next_before: isRunning ? 500 : null };
    answer(response, 200, 'Imports.', { data });
  });
  await run(['watch', ...options], { signal: stopped.signal });
  expect(pages[1]).toContain('before=500');
});

it('watch keeps its lines and the message about an outage between them', async () => {
  const running = {
    id: 7,
    status: 'inserting',
    comment: null,
    progress: { local: 0, regulator_inserting: 2, regulator_inserted: 0, regulator_insert_failed: 0 },
  };
  let asked = 0;
  const service = await startFakeService(({ request, response }) => {
    if (!request.url?.includes('status=inserting'))
      return answer(response, 200, 'Imports.', { data: { imports: [], counts: null, next_before: null } });
    asked += 1;
    if (asked === 2) return answer(response, 503, 'Restarting.');
    running.progress.regulator_inserted = asked === 1 ? 0 : 1;
    answer(response, 200, 'Imports.', { data: { imports: [running], counts: null, next_before: null } });
  });
  const { output, text } = screen(true);
  const stopped = new AbortController();
  const stderr = {
    ...output,
    write(part: string) {
      output.write(part);
      if (part.includes('1 of 3')) stopped.abort(new Error('stopped'));
    },
  };
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  await runCommand(['watch', ...service.options], {
    screen: { stdout, stderr },
    version: 'test',
    signal: stopped.signal,
    configDirectory: 'no profiles',
  });
  const lines = text().split('\n').slice(0, 3);
  expect(lines).toEqual([
    '\u001b[0JImport 7 inserting: 0 of 2 inserted, 0 failed',
    expect.stringMatching(/^Restarting\. Trying again in .* \(attempt 2 of 40\)\.$/),
    '\u001b[0JImport 7 inserting: 1 of 3 inserted, 0 failed',
  ]);
});
