/** The error of an invalid request names the problem and its place, in words for people. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fieldPart, multipartBody } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const gateway = await startGateway();
const headers = { authorization: `Bearer ${await gateway.tokens.sign()}` };

async function refusal(method: string, path: string) {
  const response = await fetch(gateway.url + path, { method, headers });
  const { message, data } = (await response.json()) as { message: string; data: { code?: string } };
  return { status: response.status, message, code: data.code };
}

describe('an invalid request', () => {
  it.each([
    ['GET', '/regulator/package-imports/seven', 'The path is invalid: id: must be a whole number.'],
    ['GET', '/regulator/package-imports/1.5', 'The path is invalid: id: must be a whole number.'],
    ['GET', '/regulator/package-imports/1e0', 'The path is invalid: id: must be a whole number.'],
    ['GET', '/regulator/package-imports/0x1', 'The path is invalid: id: must be a whole number.'],
    ['GET', '/regulator/package-imports/1%20', 'The path is invalid: id: must be a whole number.'],
    ['GET', '/regulator/package-imports?limit=', 'The query is invalid: limit: must be a whole number.'],
    ['GET', '/regulator/package-imports/0', 'The path is invalid: id: must be at least 1.'],
    ['GET', '/regulator/package-imports?before=0', 'The query is invalid: before: must be at least 1.'],
    [
      'GET',
      '/regulator/package-imports/99999999999999999999',
      'The path is invalid: id: must be at most 9007199254740991.',
    ],
    ['GET', '/regulator/package-imports?limit=2&limit=3', 'The query is invalid: limit: must be given once.'],
    [
      'GET',
      '/regulator/statistics?from=2026-99-99',
      'The query is invalid: from: must be a day such as 2026-01-31.',
    ],
    [
      'GET',
      '/regulator/package-imports?from=0026-01-31',
      'The query is invalid: from: must be a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z, in the years 1970 to 9998.',
    ],
    [
      'GET',
      '/regulator/submissions?job_id=foo',
      'The query is invalid: job_id: must be a UUID such as 01998d2c-6f00-7000-8000-000000000011.',
    ],
    ['GET', '/regulator/package-imports?limit=0', 'The query is invalid: limit: must be at least 1.'],
    ['GET', '/regulator/package-imports?limit=201', 'The query is invalid: limit: must be at most 200.'],
    ['GET', '/regulator/package-imports?file_name=', 'The query is invalid: file_name: must not be empty.'],
    [
      'GET',
      '/regulator/package-imports/7?view=short',
      'The query is invalid: view: must be one of full, summary.',
    ],
    [
      'GET',
      '/regulator/package-imports?from=2026-02-01&to=2026-01-01',
      'The query is invalid: from: must not be later than `to`.',
    ],
    [
      'GET',
      '/regulator/products/12345',
      'The path is invalid: product_id: must be a product ID, such as 99962-22-00003.',
    ],
    ['PUT', '/regulator/webhook', 'The body is invalid: url: is missing.'],
  ])('%s %s: %s', async (method, path, message) => {
    const json = { headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    const response = await fetch(gateway.url + path, { method, headers, ...(method === 'PUT' && json) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message, data: { code: 'invalid_request' } });
  });

  it('of a body that is no object says so', async () => {
    const json = { ...headers, 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/regulator/webhook`, {
      method: 'PUT',
      headers: json,
      body: '"x"',
    });
    expect(await response.json()).toMatchObject({ message: 'The body is invalid: must be an object.' });
  });
});

describe('a text that PostgreSQL cannot store', () => {
  it.each([
    [
      'PUT',
      '/regulator/webhook',
      { url: 'https://hooks.company.example/\ud800' },
      'url: must be valid Unicode',
    ],
    ['PUT', '/regulator/webhook', { url: 'https://hooks.company.example/\0' }, 'url: must not contain NUL'],
    [
      'POST',
      '/regulator/inserting/actions/pause',
      { reason: 'maintenance \ud800' },
      'reason: must be valid Unicode',
    ],
  ])('%s %s %j', async (method, path, json, message) => {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: `The body is invalid: ${message}.` });
  });
});

/** With a typo ignored, the service would return everything, or import for real. */
describe('unknown parameters', () => {
  it.each([
    [
      'GET',
      '/regulator/package-imports?stauts=failed',
      '"stauts"',
      'client_id, file_name, comment, from, to, status',
    ],
    ['GET', '/regulator/package-imports/7?veiw=summary', '"veiw"', 'view'],
    ['POST', '/regulator/package-import?dryrun=true', '"dryrun"', 'dry_run, diff'],
  ])('%s %s names it, and lists the known ones', async (method, path, named, known) => {
    const { status, message, code } = await refusal(method, path);
    expect({ status, code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(message).toContain(`The query is invalid: ${named} is unknown; the parameters are ${known}`);
  });

  it.each([
    ['POST', '/regulator/package-imports/7/actions/cancel'],
    ['POST', '/regulator/submissions/7/actions/regulator-insert'],
    ['DELETE', '/regulator/webhook'],
    ['GET', '/regulator/package-imports/7/products.csv'],
  ])('%s %s has none', async (method, path) => {
    expect(await refusal(method, `${path}?dry_run=true`)).toEqual({
      status: 400,
      message: 'The query is invalid: "dry_run" is unknown; the request has no parameters.',
      code: 'invalid_request',
    });
  });

  it('are not checked before the permission', async () => {
    const answer = await fetch(`${gateway.url}/regulator/package-imports?stauts=failed`);
    expect(answer.status).toBe(401);
  });

  it('are ignored on public addresses, because probes add some', async () => {
    expect((await fetch(`${gateway.url}/health/live?probe=1`)).status).toBe(200);
  });
});

describe('a multipart body', () => {
  const noBoundary =
    'The Content-Type has no valid boundary. It may have 70 characters. Put it in quotation marks, or use letters and digits only.';
  const ends = 'The multipart body is broken: it does not end with the boundary of the Content-Type.';
  it.each([
    ['cut off', multipartBody(10).subarray(0, -20), {}, ends],
    [
      'of another boundary',
      multipartBody(10),
      { 'content-type': 'multipart/form-data; boundary=other' },
      ends,
    ],
    [
      'with an unquoted boundary',
      multipartBody(10),
      { 'content-type': 'multipart/form-data; boundary=a:b' },
      noBoundary,
    ],
    [
      'with a boundary of 71 characters',
      multipartBody(10),
      { 'content-type': `multipart/form-data; boundary=${'b'.repeat(71)}` },
      noBoundary,
    ],
    [
      'with a coding',
      gzipSync(multipartBody(10)),
      { 'content-encoding': 'gzip' },
      'The body has a Content-Encoding. Send it without one: a ZIP is compressed already.',
    ],
  ])('%s is refused', async (_what, body, headers, message) => {
    const answer = await gateway.upload(body, { headers });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message, data: { code: 'invalid_request' } });
  });
});

describe('a text part whose name has an index', () => {
  const ADDRESS = 'a@company.example';

  it.each([
    ['of the addresses', fieldPart('email[50000000]', ADDRESS)],
    ['of any name, and then a key', fieldPart('x[100000000]', 'x') + fieldPart('x[a]', 'x')],
    ['below another', fieldPart('x[a][51]', 'x')],
  ])('%s is refused if the index is too large', async (_what, after) => {
    const answer = await gateway.upload(multipartBody(10, { after }));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      message: 'The name of a text part has an index above 50.',
      data: { code: 'invalid_request' },
    });
  });

  it('is an address if it is one of a list', async () => {
    const after = fieldPart('email[0]', ADDRESS) + fieldPart('email[1]', `b-${ADDRESS}`);
    await gateway.upload(multipartBody(10, { after }));
    expect(gateway.imports.at(-1)).toMatchObject({ notificationEmail: `${ADDRESS}, b-${ADDRESS}` });
  });

  it.each(['email[0][x]', 'email[x]', 'email[0][0]'])('is no address if it is "%s"', async (name) => {
    const answer = await gateway.upload(multipartBody(10, { after: fieldPart(name, ADDRESS) }));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      message: 'The form is invalid: "email" is not a valid e-mail address.',
    });
  });
});
