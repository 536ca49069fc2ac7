/** The contract check of all answers in the tests can fail. */
import { describe, expect, it } from 'vitest';
import { requireDescribed } from './api-contract.ts';
import { startGateway } from './starters/gateway.ts';

const gateway = await startGateway({ basePath: '/imports' });

const JSON_TYPE = 'application/json; charset=utf-8';
const PATH = '/regulator/session';
const data = { status: 'none', expires_at: null, regulator_session_message: 'None.' };
const good = { status: 'success', message: 'None.', data };
const error = {
  status: 'error',
  message: 'No.',
  data: { code: 'internal', doc_url: '/api/doc/errors#internal' },
};

const check = (
  body: unknown,
  { method = 'GET', path = PATH, status = 200, contentType = JSON_TYPE } = {},
): Promise<void> => requireDescribed(gateway.url, method, path, status, contentType, body);

describe('an answer as it is described', () => {
  it.each<[string, unknown, Parameters<typeof check>[1]]>([
    ['with data', good, {}],
    ['with a query', good, { path: `${PATH}?x=1` }],
    ['with an error', error, { status: 403 }],
    ['without a body', undefined, { status: 304, contentType: '' }],
    ['of a path that is none', error, { path: '/nowhere', status: 404 }],
    ['of a method that is none', error, { method: 'PUT', status: 405 }],
  ])('passes: %s', async (_name, body, answer) => {
    await expect(check(body, answer)).resolves.toBeUndefined();
  });
});

describe('an answer that is not as described', () => {
  it.each<[string, unknown, Parameters<typeof check>[1], RegExp]>([
    [
      'a wrong type',
      { ...good, message: 7 },
      {},
      /GET .* → 200 is not as described: \/message must be string/,
    ],
    ['a wrong type inside', { ...good, data: { ...data, expires_at: 7 } }, {}, /\/data\/expires_at must be/],
    ['a wrong value', { ...good, data: { ...data, status: 'fine' } }, {}, /\/data\/status must be equal/],
    [
      'a wrong format',
      { ...good, data: { ...data, expires_at: 'soon' } },
      {},
      /must match format "date-time"/,
    ],
    ['a missing field', { status: 'success', message: 'None.' }, {}, /required property 'data'/],
    ['a field too many', { ...good, secret: 'x' }, {}, /must NOT have additional properties/],
    [
      'an error without a code',
      { ...error, data: {} },
      { status: 403 },
      /\/data must have required property 'code'/,
    ],
    [
      'an error with a code that is none',
      { ...error, data: { code: 'Odd' } },
      { status: 403 },
      /\/data\/code must be equal to one of the allowed values/,
    ],
    ['the envelope of an error', error, {}, /\/status must be equal to constant/],
    ['no body', undefined, {}, /is not as described/],
    ['a body where there is none', good, { status: 304 }, /has a body though none is described/],
    ['an undocumented status', error, { status: 418 }, /→ 418 is not described; only /],
    ['an undocumented type', good, { contentType: 'text/html' }, /is text\/html, which is not described/],
    ['an undocumented operation', good, { path: '/regulator/secrets' }, /the operation is not described/],
    ['an undocumented method', good, { method: 'PUT' }, /the operation is not described/],
  ])('fails: %s', async (_name, body, answer, fault) => {
    await expect(check(body, answer)).rejects.toThrow(fault);
  });
});
