// @vitest-environment happy-dom
/** Numbers and times for people, and permissions out of tokens. */
import { describe, expect, it } from 'vitest';
import { formatBytes, formatDuration } from '../../src/common/measures.ts';
import { permissionsOf } from '../auth/login.ts';
import { actorOf, formatUtc, personOf } from '../ui/format.tsx';

it.each([
  [0, '0 s'],
  [420, '0.4 s'],
  [9_960, '10 s'],
  [59_600, '1 min'],
  [3_600_000 + 5 * 60_000, '1 h 5 min'],
  [2 * 86_400_000 + 59_000, '2 d'],
])('%i ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  [0, '0 bytes'],
  [1023, '1,023 bytes'],
  [1536, '1.5 KB'],
  [1, '1 byte'],
  [2048 * 1024 ** 2, '2 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it('UTC times are written with their zone', () => {
  expect(formatUtc(new Date('2026-01-31T12:00:00.123Z'))).toBe('2026-01-31 12:00:00 UTC');
});

describe('permissions of a token', () => {
  const tokenOf = (claims: object) => {
    const bytes = new TextEncoder().encode(JSON.stringify(claims));
    const payload = btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_');
    return `h.${payload.replace(/=+$/, '')}.s`;
  };

  it.each([
    [{ permissions: ['a', 'b'], scope: 'c' }, null, ['a', 'b']],
    [{ scope: 'openid  a' }, null, ['openid', 'a']],
    [{ realm: { roles: ['a', 1] }, permissions: ['b'] }, 'realm.roles', ['a']],
    [{ 'https://x.example/roles': 'a' }, 'https://x.example/roles', ['a']],
    [{ permissions: ['b'] }, 'roles', []],
    [{ name: 'Jürgen', permissions: ['a'] }, null, ['a']],
  ])('%j by %s', (claims, claim, expected) => {
    expect([...permissionsOf(tokenOf(claims), claim)]).toEqual(expected);
  });

  it('an opaque token has none', () => {
    expect(permissionsOf('opaque', null).size).toBe(0);
  });
});

it.each([
  ['person:4f1b (ann)', 'ann', 'person:ann'],
  ['person:4f1b (Ann (QA))', 'Ann (QA)', 'person:Ann (QA)'],
  ['person:operator', 'operator', 'person:operator'],
  ['client:company (old)', 'company (old)', 'client:company (old)'],
  ['service:retention', 'service:retention', 'service:retention'],
])('%s is shown as %s, and with its kind as %s', (actor, person, kind) => {
  expect([personOf(actor), actorOf(actor)]).toEqual([person, kind]);
});
