/** Lines that are rewritten in place. */
import { expect, it } from 'vitest';
import { createLiveView } from '../../cli/screen.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  const output = { isTTY, rows: 5, columns: 20, write: (text: string) => written.push(text) };
  return { view: createLiveView(output), written };
}

it('lines on a terminal are overwritten, and never exceed its height', () => {
  const { view, written } = screen(true);
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
  const { view, written } = screen(false);
  view.show(['a 1', 'b 1']);
  view.show(['a 1', 'b 2']);
  view.show(['a 1', 'b 2']);
  expect(written).toEqual(['a 1\n', 'b 1\n', 'b 2\n']);
});
