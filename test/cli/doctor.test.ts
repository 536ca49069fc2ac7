/** `doctor`: each check that fails says what to do, and the exit code says whether all hold. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { run } from '../support/command.ts';
import { answer, startFakeService } from '../support/fake-service.ts';

interface Faults {
  /** Milliseconds that the clock of the service differs. */
  offMs?: number;
  version?: string;
  refuseTokens?: boolean;
  /** Answers the empty upload, by default as a gateway that misses only the file. */
  upload?: (response: ServerResponse) => void;
  list?: (response: ServerResponse) => void;
}

interface Finding {
  check: string;
  ok: boolean | null;
  detail: string;
  advice: string[];
}

const error =
  (status: number, code: string, rest: object = {}) =>
  (response: ServerResponse) =>
    answer(response, status, `It is ${code}.`, {
      data: { code, doc_url: `/api/doc/errors#${code}`, ...rest },
    });

async function examine(faults: Faults, ...args: string[]) {
  const { offMs = 0, version = 'test', refuseTokens = false } = faults;
  const service = await startFakeService(({ request, response }) => {
    response.setHeader('date', new Date(Date.now() + offMs).toUTCString());
    if (request.url === '/health/live') return answer(response, 200, 'Alive.', { data: { version } });
    if (request.headers.authorization === undefined) return error(401, 'missing_token')(response);
    if (request.method === 'POST') return (faults.upload ?? error(400, 'invalid_request'))(response);
    if (faults.list) return faults.list(response);
    return answer(response, 200, 'Imports.', { data: { package_imports: [] } });
  });
  service.refuseTokens = refuseTokens;
  const result = await run(['doctor', ...service.options, '--json', ...args]);
  const { data } = JSON.parse(result.stdout) as { data: { checks: Finding[] } };
  const bad = data.checks.filter(({ ok }) => ok === false);
  const skipped = data.checks.filter(({ ok }) => ok === null).map(({ check }) => check);
  return { code: result.code, bad, skipped, service };
}

it('says yes to everything, and asks for liveness without a token', async () => {
  const { code, bad, skipped, service } = await examine({});
  expect({ code, bad, skipped }).toEqual({ code: 0, bad: [], skipped: [] });
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /health/live',
    'GET /regulator/package-imports?limit=1',
    'POST /regulator/package-import',
  ]);
});

const AFTER_IMPORT = ['regulator session', 'room and workers'];
it.each<[string, Faults, string, RegExp, string[]]>([
  ['a fast clock', { offMs: -60_000 }, 'clock', /6[01] s ahead.*NTP/, []],
  ['a slow clock', { offMs: 60_000 }, 'clock', /(59|60) s behind/, []],
  ['another version', { version: '2.0.0' }, 'versions', /test, the service 2\.0\.0.*Install/, []],
  [
    'a refused client',
    { refuseTokens: true },
    'token',
    /--client-secret/,
    ['permission to read', 'permission to import', ...AFTER_IMPORT],
  ],
  [
    'no permission to import',
    { upload: error(403, 'missing_permission') },
    'permission to import',
    /grant this permission.*errors#missing_permission/,
    AFTER_IMPORT,
  ],
  ['no permission to read', { list: error(403, 'missing_permission') }, 'permission to read', /grant/, []],
  [
    'no session',
    {
      upload: error(412, 'session_required', {
        regulator_session_message: 'It has expired. Log in with POST /regulator/session.',
      }),
    },
    'regulator session',
    /It has expired.*package-import session login/,
    ['room and workers'],
  ],
  ['no worker', { upload: error(503, 'processing_unavailable') }, 'room and workers', /errors#proc/, []],
])('%s: no, and what to do', async (_name, faults, check, said, notChecked) => {
  const { code, bad, skipped } = await examine(faults);
  expect({ code, bad: bad.map((one) => one.check), skipped }).toEqual({
    code: 5,
    bad: [check],
    skipped: notChecked,
  });
  expect(bad.map(({ detail, advice }) => [detail, ...advice].join(' ')).join()).toMatch(said);
});

it('an address without a service: what follows from it is not checked', async () => {
  const { code, bad, skipped } = await examine({}, '--gateway', 'http://127.0.0.1:1');
  expect(code).toBe(5);
  expect(bad[0]).toMatchObject({ check: 'address', advice: [expect.stringContaining('PACKAGE_IMPORT_URL')] });
  expect(bad.map(({ check }) => check)).toEqual(['address']);
  expect(skipped).toEqual([
    'clock',
    'versions',
    'permission to read',
    'permission to import',
    ...AFTER_IMPORT,
  ]);
});

it('prints a table for people', async () => {
  const service = await startFakeService(({ response }) => error(404, 'unknown_path')(response));
  const { stdout } = await run(['doctor', ...service.options]);
  expect(stdout).toMatch(/│ address +│ no +│ It is unknown_path/);
  expect(stdout).toMatch(/An upload would fail now\.\n$/);
});
