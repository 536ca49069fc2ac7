/** The caller of a token: the owner of its imports, and the actor in the audit trail. */
import { expect, it } from 'vitest';
import { callerOf } from '../../src/gateway/tokens/access-token.ts';

const names = { peopleClientId: 'the-page' };
const seen = (claims: object) => {
  const { clientId, actor } = callerOf({ ...claims }, names);
  return [clientId, actor];
};

it.each([
  ['a program', { client_id: 'company', sub: 'company' }, ['company', 'client:company']],
  [
    'a program of Keycloak',
    { azp: 'company', sub: '4f1b', preferred_username: 'service-account-company' },
    ['company', 'client:company'],
  ],
  ['a person', { azp: 'the-page', sub: '4f1b', preferred_username: 'ann' }, ['the-page', 'person:ann']],
  ['a person without a name', { client_id: 'the-page', sub: '4f1b' }, ['the-page', 'person:4f1b']],
  [
    'a person with a name that no column takes',
    { azp: 'the-page', sub: '4f1b', preferred_username: 'a\nb' },
    ['the-page', 'person:4f1b'],
  ],
])('%s', (_who, claims, expected) => {
  expect(seen(claims)).toEqual(expected);
});

it('without a page nobody is a person', () => {
  expect(callerOf({ client_id: 'the-page', preferred_username: 'ann' }, {}).actor).toBe('client:the-page');
});
