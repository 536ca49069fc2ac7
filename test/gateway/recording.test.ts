/**
 * Handling of a ZIP that could not be stored, or whose import was not, or may have been, recorded (decision §uploads).
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { NewImport } from '../../src/database/repositories/imports.ts';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { HttpError } from '../../src/gateway/http-error.ts';
import { freePorts } from '../support/free-ports.ts';
import { multipartBody } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

/** The fake database: its answer to a new import, and to a later query for it. */
let create: (row: NewImport) => Promise<object>;
let findSettled: (uuid: string) => Promise<{ id: number; uuid: string; status: string } | null>;
/** Whether the key is known before the body arrives. */
let known: boolean;
const repeated = { kind: 'repeated', record: { id: 1, queuedAt: new Date() } };

const gateway = await startGateway({
  change: (dependencies) => ({
    database: {
      ...dependencies.database,
      imports: {
        ...dependencies.database.imports,
        create: (row: NewImport) => create(row) as never,
        findSettled: (uuid: string) => findSettled(uuid) as never,
      },
      idempotency: {
        knows: async () => known,
        repeat: async () => repeated,
        create: async () => repeated,
      } as unknown as GatewayDependencies['database']['idempotency'],
    },
  }),
});
afterEach(() => gateway.clear());

const LOST = new Error('Connection terminated unexpectedly');

async function upload(
  headers: Record<string, string> = {},
): Promise<{ status: number; body: { message: string; data: { code?: string } } }> {
  const response = await gateway.upload(multipartBody(1_000), { headers });
  return { status: response.status, body: (await response.json()) as never };
}

describe('an import whose recording fails', () => {
  it('is answered as usual when it was stored all the same, and keeps its ZIP', async () => {
    create = async (row) => {
      gateway.imports.push(row);
      throw LOST;
    };
    findSettled = async (uuid) => {
      const id = gateway.imports.findIndex((row) => row.uuid === uuid) + 1;
      return { id, uuid, status: 'extracting' };
    };
    expect(await upload()).toMatchObject({ status: 200 });
    expect(await gateway.files()).toEqual([expect.stringContaining('.zip')]);
  });

  it('leaves no ZIP when it is known not to be stored', async () => {
    create = async () => Promise.reject(LOST);
    findSettled = async () => null;
    expect(await upload()).toMatchObject({
      status: 500,
      body: { data: { code: 'temporarily_unavailable' } },
    });
    expect(await gateway.files()).toEqual([]);
  });

  it('leaves its ZIP to retention when the result is unknown', async () => {
    create = async () => Promise.reject(LOST);
    findSettled = async () => Promise.reject(new Error('the database is away'));
    const answer = await upload();
    expect(answer).toMatchObject({ status: 500, body: { data: { code: 'temporarily_unavailable' } } });
    expect(answer.body.message).toContain('The import may have been stored');
    expect(await gateway.files()).toHaveLength(1);
  });

  it('leaves no ZIP when it was refused', async () => {
    create = async () => Promise.reject(new HttpError('idempotency_key_reused', 'used'));
    findSettled = async () => Promise.reject(new Error('nobody asks'));
    expect(await upload()).toMatchObject({ status: 422 });
    expect(await gateway.files()).toEqual([]);
  });
});

it.each([
  ['before its body', true],
  ['when it is recorded, because the first request ended meanwhile', false],
])('an import that is found by its Idempotency-Key %s leaves no second ZIP', async (_when, isKnown) => {
  known = isKnown;
  create = async (row) => ({ ...row, id: gateway.imports.push(row), status: 'extracting' });
  expect(await upload()).toMatchObject({ status: 200 });
  const first = await gateway.files();
  expect(first).toHaveLength(1);
  expect(await upload({ 'Idempotency-Key': 'key' })).toMatchObject({ status: 200 });
  expect(await gateway.files()).toEqual(first);
});

it('an archive that cannot be written, such as a read-only one, is answered 500 temporarily_unavailable', async () => {
  const readOnly = Object.assign(new Error('EROFS: read-only file system, open'), {
    code: 'EROFS',
    syscall: 'open',
  });
  const gateway = await startGateway({
    change: ({ storage }) => ({ storage: { ...storage, put: () => Promise.reject(readOnly) } }),
  });
  const response = await gateway.upload(multipartBody(1_000));
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({
    message: 'A part of the service does not answer. Try again later.',
    data: { code: 'temporarily_unavailable' },
  });
});

const MB = 1024 * 1024;

// One request for the whole file, and one for each part of it.
it.each([1_000, 6 * MB])('an upload of %i bytes is answered 500 temporarily_unavailable', async (bytes) => {
  const [nobody] = await freePorts(1);
  const gateway = await startGateway({
    s3Url: `http://127.0.0.1:${nobody}`,
    limits: { maxUploadBytes: 8 * MB },
  });
  const response = await gateway.upload(multipartBody(bytes));
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ status: 'error', data: { code: 'temporarily_unavailable' } });
  expect(gateway.imports).toEqual([]);
});
