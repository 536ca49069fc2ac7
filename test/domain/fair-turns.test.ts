import { describe, expect, it } from 'vitest';
import { turnOfClient, turnOfInserts } from '../../src/domain/fair-turns.ts';

const keyOf = (clientId: string) => turnOfClient(clientId).priority.fairnessKey;
const keyOfInserts = (clientId: string, products: number) =>
  turnOfInserts(keyOf(clientId), products)?.priority.fairnessKey;

describe('turns', () => {
  it('are each client’s own, and readable', () => {
    expect(keyOf('exporter')).toBe('client-exporter');
    expect(keyOf('somebody@company.example')).toBe('client-somebody@company.example');
    expect(keyOf('a')).not.toBe(keyOf('b'));
  });

  it.each([
    ['long', `${'x'.repeat(500)}`],
    ['of any characters', '\ud800é\u0000\n/'.repeat(60)],
  ])('fit into the 64 bytes that Temporal allows, with names that are %s', (_kind, clientId) => {
    expect(Buffer.byteLength(keyOfInserts(clientId, 1_000_000) ?? '')).toBeLessThanOrEqual(64);
  });

  it('of inserts are apart by the size of the import, with few sizes', () => {
    expect([1, 9, 10, 99, 200, 1_500, 10_000].map((products) => keyOfInserts('a', products))).toEqual(
      [1, 1, 10, 10, 100, 1_000, 10_000].map((size) => `client-a/${size}`),
    );
  });

  it('are not given to inserts of a run from before, which has none', () => {
    expect([turnOfInserts(undefined, 7), turnOfInserts('', 7)]).toEqual([undefined, undefined]);
  });
});
