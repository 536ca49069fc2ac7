/** The caller of a token, its tenant, and the records that it sees (decision §imports-have-an-owner). */
import { describe, expect, it } from 'vitest';
import { PERMISSIONS, type Permission } from '../../src/contract/operations.ts';
import { NotFound } from '../../src/domain/client-errors.ts';
import { isOfSubmitters } from '../../src/domain/product.ts';
import { listedFor, requireOwned } from '../../src/gateway/ownership.ts';
import { type Caller, callerOf, tenantOf } from '../../src/gateway/tokens/access-token.ts';

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

it('a tenant is named like its client if it has all submitters', () => {
  expect(tenantOf('client', null)).toBe('client');
});

it('a tenant is the same for the same set of submitters', () => {
  expect(tenantOf('client', ['22222', '11111', '22222'])).toBe(tenantOf('client', ['11111', '22222']));
});

it('a tenant differs by client and by set', () => {
  const names = [
    tenantOf('client', null),
    tenantOf('client', []),
    tenantOf('client', ['11111']),
    tenantOf('client', ['11111', '22222']),
    tenantOf('another', ['11111']),
    tenantOf('client 11111', []),
  ];
  expect(new Set(names).size).toBe(names.length);
});

it.each<[string, readonly string[] | null, boolean]>([
  ['all submitters', null, true],
  ['its submitter among others', ['11111', '12345'], true],
  ['another submitter', ['11111'], false],
  ['no submitter', [], false],
])('a product belongs to a tenant with %s: %o', (_what, submitters, belongs) => {
  expect(isOfSubmitters(submitters, '12345-26-00001')).toBe(belongs);
});

const caller = (submitters: Caller['submitters'] = null, ...permissions: Permission[]): Caller => ({
  clientId: 'mine',
  tenant: tenantOf('mine', submitters),
  actor: 'client:mine',
  permissions: new Set(permissions),
  submitters,
});
const operator = caller(['12345'], PERMISSIONS.operate);

describe('a list', () => {
  it('shows a tenant its own records, whether it names its client or nobody', () => {
    const restricted = caller(['12345']);
    for (const asked of [undefined, 'mine'])
      expect(listedFor(restricted, asked)).toEqual({ tenant: restricted.tenant });
  });

  it('of another client is refused', () => {
    expect(() => listedFor(caller(), 'theirs')).toThrow(PERMISSIONS.operate);
  });

  it('shows an operator all, or those of the named client', () => {
    expect([undefined, 'theirs'].map((asked) => listedFor(operator, asked))).toEqual([
      { clientId: undefined },
      { clientId: 'theirs' },
    ]);
  });
});

describe('a record', () => {
  const of = (clientId: string, submitters: Caller['submitters'] = null) => ({
    tenant: tenantOf(clientId, submitters),
  });

  it.each<[string, Caller, { tenant: string } | null]>([
    ['that does not exist', caller(), null],
    ['of another client', caller(), of('theirs')],
    ['of the same client with other submitters', caller(['12345']), of('mine', ['11111'])],
    ['of the same client with more submitters', caller(['12345']), of('mine', ['12345', '11111'])],
    ['of the same client with fewer submitters', caller(['12345', '11111']), of('mine', ['12345'])],
    ['of the same client with all submitters', caller(['12345']), of('mine')],
    ['of the same client, for a token that names no submitter', caller([]), of('mine')],
  ])('%s is not found', (_what, to, record) => {
    expect(() => requireOwned(to, record, 'Package import', 7)).toThrow(new NotFound('Package import', 7));
  });

  it('is shown to its tenant and to operators', () => {
    const own = of('mine', ['11111', '12345']);
    expect(requireOwned(caller(['12345', '11111', '12345']), own, 'Package import', 7)).toBe(own);
    expect(requireOwned(operator, of('theirs'), 'Package import', 7)).toEqual(of('theirs'));
  });
});
