/** A poll of an unchanged report reads nothing from the database (decision §reports-are-streamed). */
import { beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import { fakeReports } from '../support/gateway-fakes.ts';
import { startGateway } from '../support/starters/gateway.ts';

let version = 'a';
let reads = 0;

const RECORD = {
  id: 1,
  clientId: 'client-1',
  tenant: 'client-1',
  uploadedAt: new Date(),
  sizeBytes: 1,
  zipFilePath: '/archive/a.zip',
  status: 'inserting',
};

const gateway = await startGateway({
  change: (dependencies) => ({
    database: {
      ...dependencies.database,
      imports: {
        ...dependencies.database.imports,
        find: async () => ({ ...RECORD, tenant: owner }) as never,
        version: async () => version,
      },
      reports: fakeReports(async () => {
        reads += 1;
        return RECORD;
      }),
    },
  }),
});

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

  it('with the tag of its version is a 304 without reading rows', async () => {
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

  it('of another client is a 404, with any tag', async () => {
    const etag = (await poll()).headers.get('etag') ?? '';
    owner = 'somebody else';
    expect((await poll(etag)).status).toBe(404);
  });
});
