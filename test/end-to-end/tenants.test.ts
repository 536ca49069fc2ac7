/**
 * A record belongs to a tenant: one client with one set of submitters (decision §imports-have-an-owner). Every
 * operation of the API is in the table below. Another tenant gets 404 or an empty list, and changes nothing. Every id
 * is above 2^31, as 32 bits last 215 days at ten million products a day. Gateway and workers have the role of
 * deploy/database-roles.sql.
 */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addressOf, OPERATIONS, type OperationId } from '../../src/contract/operations.ts';
import type { ImportResult, WebhookDelivery } from '../../src/contract/types.ts';
import {
  attachmentPath,
  attachmentXml,
  newProductId,
  productPath,
  productXml,
} from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';
import { startStack } from '../support/starters/stack.ts';
import { CLIENT_PERMISSIONS, tokenOf } from '../support/tokens.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { zipOf } from '../support/zip.ts';
import { clientRows, settled } from './support/client-rows.ts';

const receiver = await startWebhookReceiver();
const stack = await startStack({
  env: { AUTH_SUBMITTERS_CLAIM: 'submitters', WEBHOOK_HOSTS: receiver.host },
  lineTo: withRuntimeRole,
});

/** Roles belong to the whole server: this one is named after its database. */
async function withRuntimeRole(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const role = `service_of_${url.pathname.slice(1)}`;
  const script = new URL('../../deploy/database-roles.sql', import.meta.url);
  await runSql(databaseUrl, (await readFile(script, 'utf8')).replaceAll('package_import_service', role));
  await runSql(databaseUrl, `alter role ${role} password 'role-of-the-tests'`);
  return Object.assign(url, { username: role, password: 'role-of-the-tests' }).href;
}

/** Number of ids used before. It differs per table, so that no id is valid in another table. */
const GIVEN_OUT = 2 ** 31;
const APART = 1_000_000_000;
await stack.sql(
  `select setval(format('%I', sequencename)::regclass, ${GIVEN_OUT} + ${APART} * row_number() over (order by sequencename))
     from pg_sequences where schemaname = 'public' and sequencename <> 'mikro_orm_migrations_id_seq'`,
);

const CLIENT = 'shared';
const KEY = 'a-key-of-both';
const ANOTHER_CLIENT = 'another client with the same submitters';

const tokenFor = (clientId: string, ...submitters: string[]) =>
  tokenOf(stack, clientId, CLIENT_PERMISSIONS, { submitters });

const owner = await tokenFor(CLIENT, '11111', '99962');
/** The order of the claim and repetitions make no other tenant. */
const colleague = await tokenFor(CLIENT, '99962', '11111', '99962');
const strangers = {
  'the same client with one more submitter': await tokenFor(CLIENT, '11111', '22222', '99962'),
  'the same client with one submitter less': await tokenFor(CLIENT, '99962'),
  'the same client with other submitters': await tokenFor(CLIENT, '22222'),
  'the same client without submitters': await tokenOf(stack, CLIENT),
  [ANOTHER_CLIENT]: await tokenFor('another', '11111', '99962'),
};

/** Values for the parameters of a path. */
const known = { id: 0, submission: 0, product_id: '', process: 'regulator-insert', delivery: 0 };
let zip: Uint8Array;

type Query = Record<string, string | number>;
interface Sent {
  params?: Query;
  query?: Query;
  json?: unknown;
  body?: FormData;
  headers?: Record<string, string>;
}

/** `data` is empty for an answer that is no envelope. */
async function send(id: OperationId, token: string, { params, query, json, body, headers }: Sent = {}) {
  const response = await fetch(stack.gatewayUrl + addressOf(id, params, query), {
    method: OPERATIONS[id].method.toUpperCase(),
    headers: {
      authorization: `Bearer ${token}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body ?? (json === undefined ? null : JSON.stringify(json)),
  });
  const text = await response.text();
  const isEnvelope = response.headers.get('content-type') === 'application/json; charset=utf-8';
  const data: Record<string, unknown> = isEnvelope ? (JSON.parse(text).data ?? {}) : {};
  return { status: response.status, headers: response.headers, data };
}

function form(): Sent {
  const body = new FormData();
  body.set('file', new Blob([zip.slice()], { type: 'application/zip' }), 'secret-name.zip');
  body.set('comment', 'secret comment');
  body.set('email', 'secret@company.example');
  return { body, headers: { 'idempotency-key': KEY } };
}

/** A record of the owner: 404 for another tenant. */
const hidden = (params: () => Query = () => known) => ({ kind: 'hidden' as const, params });
/** A list, by its name in the answer: empty for another tenant, with each of the queries. */
const listed = (name: string, ...queries: (() => Query)[]) => ({ kind: 'listed' as const, name, queries });
/** Each tenant has a record of its own: the check fails if it gets the owner's. */
const apart = (check: (token: string) => Promise<unknown>) => ({ kind: 'apart' as const, check });
/** For operators, who see everything. */
const operators = { kind: 'operators' as const };
/** One for all, on purpose. */
const shared = { kind: 'shared' as const };

type Entry = ReturnType<typeof hidden | typeof listed | typeof apart> | typeof operators | typeof shared;

const all = () => ({});
const ofClient = () => ({ client_id: CLIENT });
const ofSubmission = () => ({ ...known, id: known.submission });
const withoutWebhook = (id: OperationId) => async (token: string) =>
  expect(await send(id, token)).toMatchObject({ status: 409, data: { code: 'webhook_missing' } });

const TABLE: Record<OperationId, Entry> = {
  postPackageImport: apart(async (token) => {
    const { status, headers, data } = await send('postPackageImport', token, form());
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(data.id).toBeGreaterThan(known.id);
  }),
  getPackageImports: listed(
    ...(['imports', all, ofClient] as const),
    () => ({ file_name: 'secret' }),
    () => ({ comment: 'secret', before: known.id + 1_000 }),
  ),
  getPackageImport: hidden(),
  getImportOutcomes: hidden(),
  getImportProductsCsv: hidden(),
  getImportProductsJsonLines: hidden(),
  getImportFilesCsv: hidden(),
  getImportFilesJsonLines: hidden(),
  postImportCancellation: hidden(),
  postImportRetry: hidden(),
  getImportRetry: hidden(),
  getRepairPack: hidden(),
  getOriginalPackage: hidden(),
  getFailedFile: hidden(() => ({ ...known, xml_file: 'refused.xml' })),
  getFailures: apart(async (token) =>
    expect(await send('getFailures', token)).toMatchObject({
      status: 200,
      data: { products: 0, groups: [] },
    }),
  ),
  postFailuresAction: apart(async (token) => {
    for (const action of ['regulator-insert', 'cancel'])
      expect(await send('postFailuresAction', token, { params: { action } })).toMatchObject({
        status: 200,
        data: { products: 0, imports: 0, run: null },
      });
  }),
  getFailuresRun: apart(async (token) =>
    expect(await send('getFailuresRun', token)).toMatchObject({ status: 200, data: { run: null } }),
  ),
  postFailuresRunStop: apart(async (token) =>
    expect(await send('postFailuresRunStop', token)).toMatchObject({ status: 202, data: { run: null } }),
  ),
  getSubmissions: listed(
    ...(['submissions', all] as const),
    () => ({ import_id: known.id }),
    () => ({ product_id: known.product_id }),
  ),
  getSubmission: hidden(ofSubmission),
  postSubmissionAction: hidden(ofSubmission),
  getSubmissionXml: hidden(ofSubmission),
  getProduct: hidden(),
  getDossier: hidden(),
  getDossierKey: shared,
  getStatistics: listed('statistics', all, ofClient, () => ({ by: 'hour' })),
  getStored: listed('stored', all, ofClient),
  getRegulatorSession: shared,
  postRegulatorSession: shared,
  postRegulatorSessionVerification: shared,
  deleteRegulatorSession: shared,
  getInserting: operators,
  postInsertingPause: operators,
  postInsertingResume: operators,
  getWebhook: apart(async (token) =>
    expect(await send('getWebhook', token)).toMatchObject({ status: 200, data: { updated_at: null } }),
  ),
  putWebhook: apart(async (token) => {
    const { status, data } = await send('putWebhook', token, { json: { url: receiver.url } });
    expect([status, data.secret]).toEqual([200, expect.stringMatching(/^whsec_/)]);
    expect((await send('deleteWebhook', token)).data).toEqual({ removed: true });
  }),
  postWebhookSecret: apart(withoutWebhook('postWebhookSecret')),
  postWebhookTest: apart(withoutWebhook('postWebhookTest')),
  deleteWebhook: apart(async (token) =>
    expect((await send('deleteWebhook', token)).data).toEqual({ removed: false }),
  ),
  getWebhookDeliveries: listed('deliveries', all, () => ({ import_id: known.id })),
  postWebhookRedelivery: hidden(() => ({ id: known.delivery })),
  getAuditEvents: operators,
  getLiveness: shared,
};

function of<Kind extends Entry['kind']>(kind: Kind) {
  const entries = Object.entries(TABLE) as [OperationId, Entry][];
  return entries.filter(
    (entry): entry is [OperationId, Extract<Entry, { kind: Kind }>] => entry[1].kind === kind,
  );
}

beforeAll(async () => {
  const [good, rejected] = [newProductId(), newProductId()];
  zip = await zipOf({
    [productPath('good')]: productXml({ productId: good }),
    [productPath('rejected')]: productXml({ productId: rejected }),
    [productPath('refused')]: '<EcigProductSubmission><secret>',
    [attachmentPath('a')]: attachmentXml('secret'),
  });
  stack.imports.reject(rejected);
  await send('putWebhook', owner, { json: { url: receiver.url } });
  const { id, submissions } = (await send('postPackageImport', owner, form()))
    .data as unknown as ImportResult;
  Object.assign(known, { id, submission: submissions[0]?.id, product_id: good });
  await settled(stack);
  await send('postImportRetry', owner, { params: known });
  await settled(stack);
  const { data } = await send('getWebhookDeliveries', owner);
  known.delivery = (data.deliveries as WebhookDelivery[])[0]?.id ?? 0;
  expect(Math.min(known.id, known.submission, known.delivery)).toBeGreaterThan(GIVEN_OUT);
  await stack.database.statistics.countDay(new Date().toISOString().slice(0, 10));
}, 120_000);

it('the table has every operation of the API description', async () => {
  const response = await fetch(`${stack.gatewayUrl}/api/doc.json`);
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const described = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId }) => operationId ?? []);
  expect(described.length).toBeGreaterThan(30);
  expect(described.filter((id) => !(id in TABLE))).toEqual([]);
});

describe.each(Object.entries(strangers))('%s', (who, stranger) => {
  it.each(of('hidden'))('%s: 404, and nothing changes', async (id, { params }) => {
    const before = await clientRows(stack);
    expect((await send(id, stranger, { params: params() })).status).toBe(404);
    expect(await clientRows(stack)).toEqual(before);
  });

  it.each(of('listed'))('%s: nothing is listed', async (id, { name, queries }) => {
    for (const query of queries) {
      const asked = query();
      const { status, data } = await send(id, stranger, { query: asked });
      if (who === ANOTHER_CLIENT && 'client_id' in asked) expect(status).toBe(403);
      else expect([status, data[name]]).toEqual([200, []]);
    }
  });

  it.each(of('apart'))('%s: the records of the owner stay as they are', async (_id, { check }) => {
    const before = await clientRows(stack);
    await check(stranger);
    expect(await clientRows(stack)).toEqual(expect.arrayContaining(before));
    await settled(stack);
  });

  it.each(of('operators'))('%s: 403', async (id) => {
    expect((await send(id, stranger)).status).toBe(403);
  });
});

describe('the owner, by a token with its submitters in another order', () => {
  it.each(of('hidden'))('%s: is answered', async (id, { params }) => {
    const { status } = await send(id, colleague, { params: params() });
    // 409: the import is over, or the product inserted.
    expect([200, 202, 409]).toContain(status);
    await settled(stack);
  });

  it.each(of('listed'))('%s: sees its records', async (id, { name, queries }) => {
    for (const query of queries) {
      const { data } = await send(id, colleague, { query: query() });
      expect((data[name] as unknown[]).length).toBeGreaterThan(0);
    }
  });

  it('sees its webhook', async () => {
    expect((await send('getWebhook', colleague)).data.url).toBe(receiver.url);
  });
});

it.each(of('shared'))('%s, which all share, names no record', (id) => {
  expect(OPERATIONS[id].path).not.toContain('{');
});

it.each(['package-import-reconcile', 'package-import-retention', 'package-import-statistics'])(
  'the schedule %s needs no more rights',
  async (scheduleId) => {
    const schedule = stack.temporal.schedule.getHandle(scheduleId);
    const { numActionsTaken } = (await schedule.describe()).info;
    await schedule.trigger();
    const last = await vi.waitFor(async () => {
      const { info } = await schedule.describe();
      expect(info.numActionsTaken).toBeGreaterThan(numActionsTaken);
      return info.recentActions.at(-1);
    }, 60_000);
    const { workflowId = '', firstExecutionRunId = '' } = last?.action.workflow ?? {};
    await stack.temporal.workflow.getHandle(workflowId, firstExecutionRunId).result();
  },
);
