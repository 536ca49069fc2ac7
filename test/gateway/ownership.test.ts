/** Who sees what (decision §imports-have-an-owner). */
import { describe, expect, it } from 'vitest';
import { PERMISSIONS, type Permission } from '../../src/contract/operations.ts';
import { NotFound } from '../../src/domain/client-errors.ts';
import { listedFor, ownedBy } from '../../src/gateway/ownership.ts';
import { type Caller, tenantOf } from '../../src/gateway/tokens/access-token.ts';

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
    expect(() => ownedBy(to, record, 'Package import', 7)).toThrow(new NotFound('Package import', 7));
  });

  it('is shown to its tenant and to operators', () => {
    const own = of('mine', ['11111', '12345']);
    expect(ownedBy(caller(['12345', '11111', '12345']), own, 'Package import', 7)).toBe(own);
    expect(ownedBy(operator, of('theirs'), 'Package import', 7)).toEqual(of('theirs'));
  });
});
