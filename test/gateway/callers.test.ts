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
  [
    'a person, by what never changes, with the name beside it',
    { azp: 'the-page', sub: '4f1b', preferred_username: 'ann' },
    ['the-page', 'person:4f1b (ann)'],
  ],
  [
    'a person with the name of another',
    { azp: 'the-page', sub: '77aa', preferred_username: 'ann' },
    ['the-page', 'person:77aa (ann)'],
  ],
  [
    'a person with any letters',
    { azp: 'the-page', sub: 'auth0|4f1b x', preferred_username: 'Zoë (QA)' },
    ['the-page', 'person:auth0|4f1b%20x (Zoë (QA))'],
  ],
  [
    'a person whose name is the id',
    { azp: 'the-page', sub: 'ann', preferred_username: 'ann' },
    ['the-page', 'person:ann'],
  ],
  ['a person without a name', { client_id: 'the-page', sub: '4f1b' }, ['the-page', 'person:4f1b']],
  [
    'a person with a name that no column takes',
    { azp: 'the-page', sub: '4f1b', preferred_username: 'a\nb' },
    ['the-page', 'person:4f1b'],
  ],
  [
    'a person whose token has no id',
    { azp: 'the-page', preferred_username: 'ann' },
    ['the-page', 'person:unknown (ann)'],
  ],
])('%s', (_who, claims, expected) => {
  expect(seen(claims)).toEqual(expected);
});

it('without a page no caller is a person', () => {
  expect(callerOf({ client_id: 'the-page', preferred_username: 'ann' }, {}).actor).toBe('client:the-page');
});
