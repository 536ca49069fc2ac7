import { describe, expect, it } from 'vitest';
import { fairnessOfClient, fairnessOfInserts } from '../../src/domain/fairness.ts';

const keyOf = (clientId: string) => fairnessOfClient(clientId).priority.fairnessKey;
const keyOfInserts = (clientId: string, products: number) =>
  fairnessOfInserts(keyOf(clientId), products)?.priority.fairnessKey;

describe('turns', () => {
  it('are each client’s own, and readable', () => {
    expect(keyOf('exporter')).toBe('client-exporter');
    expect(keyOf('somebody@company.example')).toBe('client-somebody@company.example');
    expect(keyOf('a')).not.toBe(keyOf('b'));
  });

  it.each([
    ['long', `${'x'.repeat(500)}`],
    ['of any characters', '\ud800é\u0000\n/'.repeat(60)],
  ])('fit into the 64 bytes of Temporal, with names that are %s', (_kind, clientId) => {
    expect(Buffer.byteLength(keyOfInserts(clientId, 1_000_000) ?? '')).toBeLessThanOrEqual(64);
  });

  it('of inserts differ by few size classes of imports', () => {
    expect([1, 9, 10, 99, 200, 1_500, 10_000].map((products) => keyOfInserts('a', products))).toEqual(
      [1, 1, 10, 10, 100, 1_000, 10_000].map((size) => `client-a/${size}`),
    );
  });

  it('are absent for inserts of earlier runs, which have none', () => {
    expect([fairnessOfInserts(undefined, 7), fairnessOfInserts('', 7)]).toEqual([undefined, undefined]);
  });
});
