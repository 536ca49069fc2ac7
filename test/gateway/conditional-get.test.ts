/** A poll of an unchanged report reads nothing from the database (decision §reports-are-streamed). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/permissions.ts';
import { type BareGateway, startBareGateway } from './support/bare-gateway.ts';
import { fakeReports } from './support/fake-reports.ts';

let gateway: BareGateway;
let version = 'a';
let reads = 0;

const RECORD = {
  id: 1,
  clientId: 'client-1',
  uploadedAt: new Date(),
  sizeBytes: 1,
  zipFilePath: '/archive/a.zip',
  status: 'inserting',
};

beforeAll(async () => {
  gateway = await startBareGateway({
    change: (dependencies) => ({
      ...dependencies,
      database: {
        ...dependencies.database,
        imports: {
          ...dependencies.database.imports,
          find: async () => ({ ...RECORD, clientId: owner }) as never,
          version: async () => version,
        },
        reports: fakeReports(async () => {
          reads += 1;
          return RECORD;
        }),
      },
    }),
  });
});
afterAll(() => gateway.stop());

let owner = '';
/** Token of a client that is no operator. */
let token = '';

async function poll(etag?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(etag && { 'if-none-match': etag }) };
  return fetch(`${gateway.url}/regulator/package-imports/1`, { headers });
}

describe('a poll of a report', () => {
  beforeAll(async () => {
    token = await gateway.tokens.sign({ permissions: [PERMISSIONS.readImports] });
    const [, claims = ''] = token.split('.');
    const { client_id, azp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    owner = client_id ?? azp ?? sub;
  });

  it('with the tag of its version is a 304 for which no row is read', async () => {
    const first = await poll();
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    expect(reads).toBe(1);

    const again = await poll(`"other", ${etag}`);
    expect(again.status).toBe(304);
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.get('cache-control')).toBe('private, no-cache');
    expect(reads).toBe(1);

    version = 'b';
    const changed = await poll(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(reads).toBe(2);
  });

  it('of somebody else is a 404, whatever tag it has', async () => {
    const etag = (await poll()).headers.get('etag') ?? '';
    owner = 'somebody else';
    expect((await poll(etag)).status).toBe(404);
  });
});
