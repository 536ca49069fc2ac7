/** The error codes by which programs distinguish the errors of the gateway. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { StaleRun } from '../../activities/insert-records.ts';
import type { ErrorCode } from '../../src/contract/error-codes.ts';
import {
  ArchiveRemoved,
  ImportActionNotAvailable,
  ImportFailed,
  InvalidPackage,
  importFailedBy,
  NotFound,
  RegulatorLoginRefused,
  RegulatorRateLimited,
  RegulatorSessionRequired,
  RegulatorUnavailable,
  WrongVerificationCode,
} from '../../src/domain/client-errors.ts';
import { MailRefused } from '../../src/domain/errors.ts';
import { RegulatorRejection } from '../../src/regulator/port.ts';
import { requireDescribed } from '../support/api-contract.ts';
import { fieldPart, IMPORT_PATH, MULTIPART, multipartBody } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const LIMIT = 1024 * 1024;
/** Thrown by the fake regulator session. */
let fault: unknown;
/** Thrown by the fake read of an import for its answer. */
let reportFault: unknown;
const gateway = await startGateway({
  limits: { maxUploadBytes: LIMIT },
  change: (dependencies) => ({
    database: {
      ...dependencies.database,
      reports: {
        ...dependencies.database.reports,
        async onSnapshot(...asked) {
          if (reportFault !== undefined) throw reportFault;
          return dependencies.database.reports.onSnapshot(...asked);
        },
      },
    },
    sessions: {
      ...dependencies.sessions,
      state: async () => {
        if (fault !== undefined) throw fault;
        return gateway.session.state;
      },
    },
  }),
});
beforeEach(() => {
  fault = undefined;
  reportFault = undefined;
  gateway.processing.run = async () => {};
});

async function ask(path: string, init: RequestInit = {}, token: string | null = gateway.token) {
  const headers = { ...(token !== null && { authorization: `Bearer ${token}` }), ...init.headers };
  const response = await fetch(gateway.url + path, { ...init, headers });
  const body = (await response.json()) as {
    status: string;
    data: { code: string } & Record<string, unknown>;
  };
  const type = response.headers.get('content-type') ?? '';
  await requireDescribed(gateway.url, init.method ?? 'GET', path, response.status, type, body);
  return { status: response.status, envelope: body.status, data: body.data };
}

const upload = (body: Buffer) =>
  ask(IMPORT_PATH, { method: 'POST', body: new Uint8Array(body), headers: { 'content-type': MULTIPART } });

describe('an answer', () => {
  type Asked = ReturnType<typeof ask>;
  it.each<[ErrorCode, number, () => Asked]>([
    ['missing_token', 401, () => ask('/regulator/session', {}, null)],
    ['invalid_token', 401, () => ask('/regulator/session', {}, 'a.b.c')],
    [
      'missing_permission',
      403,
      async () => ask('/regulator/session', {}, await gateway.tokens.sign({ permissions: [] })),
    ],
    ['unknown_path', 404, () => ask('/nowhere')],
    ['method_not_allowed', 405, () => ask('/regulator/session', { method: 'PUT' })],
    ['invalid_request', 400, () => ask('/regulator/package-imports?limit=many')],
    ['invalid_request', 400, () => ask('/regulator/session/verification', { method: 'POST', body: 'x' })],
    [
      'body_too_large',
      413,
      () =>
        ask('/regulator/session/verification', {
          method: 'POST',
          body: JSON.stringify({ code: 'x'.repeat(100_000) }),
          headers: { 'content-type': 'application/json' },
        }),
    ],
    ['no_file', 400, () => upload(Buffer.from(`${fieldPart('comment', 'x')}--frontier--\r\n`))],
    ['not_a_zip', 400, () => upload(multipartBody(1, { fileName: 'a.rar' }))],
    ['invalid_request', 400, () => upload(multipartBody(1, { before: fieldPart('email', 'nobody') }))],
    [
      'webhooks_disabled',
      400,
      () => upload(multipartBody(1, { before: fieldPart('webhook_url', 'https://hooks.example/') })),
    ],
    ['file_too_large', 413, () => upload(multipartBody(LIMIT + 1))],
    ['unknown_path', 404, () => ask('/health/ready')],
    ['unknown_path', 404, () => ask('/metrics')],
  ])('%s: %d', async (code, status, request) => {
    const data = { code, doc_url: `/api/doc/errors#${code}` };
    expect(await request()).toMatchObject({ status, envelope: 'error', data });
  });

  it('keeps its earlier fields beside the code', async () => {
    fault = new RegulatorSessionRequired('It has expired.');
    const data = { code: 'session_required', regulator_session_message: 'It has expired.' };
    expect(await upload(multipartBody(1))).toMatchObject({ status: 412, data });
  });

  it('has a code outside of the application, too', async () => {
    const socket = connect(gateway.port, '127.0.0.1').end('nonsense\r\n\r\n');
    expect(await text(socket)).toMatch(
      /"data":\{"code":"invalid_request","doc_url":"\/api\/doc\/errors#invalid_request"\}\}$/,
    );
  });
});

describe('an import', () => {
  it.each<[string, unknown, ErrorCode]>([
    ['cannot be read', importFailedBy(temporalFailure('InvalidPackage'), 7), 'invalid_package'],
    ['ended its processes', importFailedBy(temporalFailure('LostTooOften'), 7), 'invalid_package'],
    ['was cancelled', importFailedBy(temporalFailure('ImportCancelled'), 7), 'import_cancelled'],
    ['failed otherwise', importFailedBy(temporalFailure('TimeoutFailure'), 7), 'import_failed'],
    ['failed for no reason', importFailedBy({ message: 'No.' }, 7), 'import_failed'],
  ])('that %s is named by its id', async (_name, error, code) => {
    gateway.processing.run = () => Promise.reject(error);
    expect(await upload(multipartBody(1))).toMatchObject({ status: 500, data: { code, id: 7 } });
  });

  it.each<[string, () => Promise<void>, Error | undefined]>([
    ['that cannot be followed', () => Promise.reject(new Error('unavailable')), undefined],
    ['whose result cannot be read', async () => {}, new Error('the database is away')],
  ])('%s is named by its id', async (_name, process, reading) => {
    gateway.processing.run = process;
    reportFault = reading;
    const { status, data } = await upload(multipartBody(1));
    expect({ status, data }).toEqual({
      status: 500,
      data: {
        code: 'outcome_unknown',
        doc_url: '/api/doc/errors#outcome_unknown',
        id: gateway.imports.length,
      },
    });
  });

  function temporalFailure(type: string) {
    return { message: 'No.', type };
  }
});

describe('an error of the catalogue', () => {
  it.each<[Error, number, ErrorCode]>([
    [new InvalidPackage('it is none'), 500, 'invalid_package'],
    [new ImportFailed('No.', 'import_failed'), 500, 'import_failed'],
    [new ArchiveRemoved(7, new Date(0)), 410, 'package_removed'],
    [new NotFound('Import', 7), 404, 'not_found'],
    [new ImportActionNotAvailable('cancel', { id: 7, status: 'failed' }), 409, 'action_not_available'],
    [new WrongVerificationCode('No.'), 400, 'wrong_verification_code'],
    [new RegulatorSessionRequired('No.'), 412, 'session_required'],
    [new RegulatorLoginRefused('No.'), 502, 'regulator_login_refused'],
    [new RegulatorUnavailable('No.'), 502, 'regulator_unavailable'],
    [new RegulatorRateLimited(7), 502, 'regulator_unavailable'],
  ])('%s: %d, %s', async (error, status, code) => {
    fault = error;
    const response = await gateway.fetch('/regulator/session');
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status: 'error', data: { code } });
  });

  it.each([new RegulatorRejection(['secret']), new StaleRun('secret'), new MailRefused('secret', 'secret')])(
    '%s is not an error for clients',
    async (error) => {
      fault = error;
      const response = await gateway.fetch('/regulator/session');
      expect(response.status).toBe(500);
      const body = await response.text();
      expect(body).toContain('"code":"internal"');
      expect(body).not.toContain('secret');
    },
  );
});
