/** The kept notes of a file are bounded in number and bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { BoundedNotes, bytesOf, NOTES_OF_A_FILE, shortened } from '../../src/domain/notes.ts';

const note = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', minLength: 900, maxLength: 1100 }),
  fc.nat(3000).map((length) => '🚬'.repeat(length)),
);

/** Room for the note that counts the others. */
const LAST = 80;

function kept(notes: readonly string[], bounds = NOTES_OF_A_FILE): BoundedNotes {
  const bounded = new BoundedNotes(bounds);
  for (const one of notes) bounded.add(() => ({ ...plainReason(one), path: 'Product/Design', line: 7 }));
  return bounded;
}

describe('notes of one file', () => {
  it('are bounded in number and bytes, in order, and the count includes all', () => {
    fc.assert(
      fc.property(
        fc.array(note, { maxLength: 300 }),
        fc.record({ notes: fc.integer({ min: 0, max: 150 }), bytes: fc.integer({ min: 0, max: 20_000 }) }),
        (notes, bounds) => {
          const { list: reasons, count } = kept(notes, bounds);
          const list = reasons.map(({ text }) => text);
          expect(count).toBe(notes.length);
          expect(list.length).toBeLessThanOrEqual(bounds.notes + 1);
          expect(bytesOf(reasons)).toBeLessThanOrEqual(bounds.bytes + LAST);
          const all = !/^… and \d+ more$/.test(list.at(-1) ?? '');
          const whole = all ? list : list.slice(0, -1);
          expect(whole).toEqual(notes.slice(0, whole.length).map((one) => shortened(one)));
          if (!all) expect(list.at(-1)).toBe(`… and ${notes.length - whole.length} more`);
        },
      ),
    );
  });

  it('are valid text for PostgreSQL, also when they were shortened', () => {
    const { list } = kept([`${'x'.repeat(999)}🚬`]);
    expect(list[0]?.text.isWellFormed()).toBe(true);
  });

  it('are not formatted when they would only be counted', () => {
    const notes = kept(Array.from({ length: 101 }, () => 'a note'));
    notes.add(() => {
      throw new Error('nobody needs it');
    });
    expect(notes.list).toHaveLength(101);
    expect(notes.list.at(-1)).toEqual(plainReason('… and 2 more'));
  });
});
