/** Retention removes the package of a repair pack during the request. */
import { expect, it, onTestFinished } from 'vitest';
import { PERMISSIONS } from '../../src/contract/permissions.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { startBareGateway } from './support/bare-gateway.ts';
import { fakeReports } from './support/fake-reports.ts';

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
    reason: '',
    productId: null,
  };
  const gateway = await startBareGateway({
    change: (dependencies) => ({
      ...dependencies,
      database: {
        imports: {
          find: async () => ({ ...record }),
        },
        reports: fakeReports(async () => record, {
          async *files() {
            if (removed) record.archiveRemovedAt = new Date('2026-01-02');
            yield [failed];
          },
        }),
        auditTrail: { record: async () => {} },
      } as unknown as GatewayDependencies['database'],
    }),
  });
  onTestFinished(() => gateway.stop());
  const token = await gateway.tokens.sign({ permissions: [PERMISSIONS.readImports, PERMISSIONS.operate] });
  const response = await fetch(`${gateway.url}/regulator/package-imports/1/repair-pack`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as { message: string; data: object } };
}

it('is gone', async () => {
  const { status, body } = await repairPack({ removed: true });
  expect(status).toBe(410);
  expect(body).toEqual({
    status: 'error',
    message: 'The package of import 1 was removed on 2026-01-02. Export it again.',
    data: { code: 'package_removed', id: 1 },
  });
});

it('is a fault of the service when nobody has removed it', async () => {
  expect((await repairPack({ removed: false })).status).toBe(500);
});
