/** Handling of a ZIP whose import was not recorded, or may have been recorded (decision §uploads). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NewImport } from '../../src/database/repositories/imports.ts';
import { HttpError } from '../../src/gateway/http-error.ts';
import { type BareGateway, startBareGateway } from './support/bare-gateway.ts';
import { IMPORT_PATH, multipartBody, uploadHeaders } from './support/requests.ts';

let gateway: BareGateway;
/** The fake database: its answer to a new import, and to a later query for it. */
let create: (row: NewImport) => Promise<number>;
let findSettled: (uuid: string) => Promise<{ id: number; uuid: string } | null>;

beforeAll(async () => {
  gateway = await startBareGateway({
    change: (dependencies) => ({
      ...dependencies,
      database: {
        ...dependencies.database,
        imports: {
          ...dependencies.database.imports,
          create: (row: NewImport) => create(row),
          findSettled: (uuid: string) => findSettled(uuid) as never,
        },
      },
    }),
  });
});
afterEach(() => gateway.clear());
afterAll(() => gateway.stop());

const LOST = new Error('Connection terminated unexpectedly');

async function upload(): Promise<{ status: number; body: { message: string; data: { code?: string } } }> {
  const body = multipartBody(1_000);
  const { Authorization, ...headers } = { Authorization: '', ...uploadHeaders(gateway.token, body.length) };
  const response = await fetch(`${gateway.url}${IMPORT_PATH}`, {
    method: 'POST',
    headers: { ...headers, Authorization } as Record<string, string>,
    body,
  });
  return { status: response.status, body: (await response.json()) as never };
}

describe('an import whose recording fails', () => {
  it('is answered like any other where it was stored all the same, and keeps its ZIP', async () => {
    create = async (row) => {
      gateway.imports.push(row);
      throw LOST;
    };
    findSettled = async (uuid) => ({ id: gateway.imports.findIndex((row) => row.uuid === uuid) + 1, uuid });
    expect(await upload()).toMatchObject({ status: 200 });
    expect(await gateway.files()).toEqual([expect.stringContaining('.zip')]);
  });

  it('leaves no ZIP where it is known not to be stored', async () => {
    create = async () => Promise.reject(LOST);
    findSettled = async () => null;
    expect(await upload()).toMatchObject({ status: 500, body: { data: { code: 'internal' } } });
    expect(await gateway.files()).toEqual([]);
  });

  it('leaves its ZIP to retention where nobody can say', async () => {
    create = async () => Promise.reject(LOST);
    findSettled = async () => Promise.reject(new Error('the database is away'));
    const answer = await upload();
    expect(answer).toMatchObject({ status: 500, body: { data: { code: 'temporarily_unavailable' } } });
    expect(answer.body.message).toContain('not known whether the import was stored');
    expect(await gateway.files()).toHaveLength(1);
  });

  it('leaves no ZIP where it was refused', async () => {
    create = async () => Promise.reject(new HttpError('idempotency_key_reused', 'used'));
    findSettled = async () => Promise.reject(new Error('nobody asks'));
    expect(await upload()).toMatchObject({ status: 422 });
    expect(await gateway.files()).toEqual([]);
  });
});
