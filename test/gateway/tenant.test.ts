/** Tenants: a client with one set of submitters (decision §imports-have-an-owner). */
import { expect, it } from 'vitest';
import { isOfSubmitters } from '../../src/domain/submitters.ts';
import { tenantOf } from '../../src/gateway/tokens/access-token.ts';

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
