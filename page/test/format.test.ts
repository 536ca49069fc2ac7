/** Numbers and times for people, and permissions out of tokens. */
import { describe, expect, it } from 'vitest';
import { permissionsIn } from '../auth/token-permissions.ts';
import { formatBytes, formatDuration, formatUtc } from '../ui/format.ts';

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
  [1536, '1.5 kB'],
  [1, '1 byte'],
  [2048 * 1024 ** 2, '2 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it('writes UTC as such', () => {
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
    expect([...permissionsIn(tokenOf(claims), claim)]).toEqual(expected);
  });

  it('there are none in what is no JWT', () => {
    expect(permissionsIn('opaque', null).size).toBe(0);
  });
});
