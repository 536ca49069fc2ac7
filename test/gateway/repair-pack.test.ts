/** Retention removes the package of a repair pack during the request. */
import { expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { fakeReports } from '../support/gateway-fakes.ts';
import { startGateway } from '../support/starters/gateway.ts';

async function repairPack({ removed }: { removed: boolean }) {
  const record = {
    id: 1,
    clientId: 'client',
    status: 'completed',
    storageKey: 'packages/not-there.zip',
    archiveRemovedAt: null as Date | null,
  };
  const failed = {
    id: 1,
    kind: 'product' as const,
    entryIndex: 0,
    entryPath: 'a.xml',
    xmlFile: 'a.xml',
    reasons: [],
    productId: null,
  };
  const gateway = await startGateway({
    change: () => ({
      database: {
        imports: {
          find: async () => ({ ...record }),
        },
        reports: {
          ...fakeReports(async () => record),
          async *files() {
            if (removed) record.archiveRemovedAt = new Date('2026-01-02');
            yield [failed];
          },
        },
        auditTrail: { record: async () => {} },
      } as unknown as GatewayDependencies['database'],
    }),
  });
  const token = await gateway.tokens.sign({ permissions: [PERMISSIONS.readImports, PERMISSIONS.operate] });
  const response = await fetch(`${gateway.url}/regulator/package-imports/1/repair-pack`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as { message: string; data: object } };
}

it('a package that retention has removed gives 410', async () => {
  const { status, body } = await repairPack({ removed: true });
  expect(status).toBe(410);
  expect(body).toEqual({
    status: 'error',
    message: 'The package of import 1 was removed on 2026-01-02. Export it again.',
    data: { code: 'package_removed', id: 1 },
  });
});

it('a missing package that nobody has removed is an internal error', async () => {
  expect((await repairPack({ removed: false })).status).toBe(500);
});
