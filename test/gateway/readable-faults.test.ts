/** What is said of a parameter, to people who know its name and no validator. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BareGateway, startBareGateway } from './support/bare-gateway.ts';

let gateway: BareGateway;
beforeAll(async () => {
  gateway = await startBareGateway();
});
afterAll(() => gateway.stop());

it.each([
  ['/regulator/package-imports/abc', 'The path is invalid: id: must be a number.'],
  ['/regulator/package-imports?limit=ten', 'The query is invalid: limit: must be a number.'],
  ['/regulator/package-imports?before=x', 'The query is invalid: before: must be a number.'],
  ['/regulator/products/7', 'The path is invalid: product_id: must be of the form 99962-22-00003.'],
  [
    '/regulator/submissions?product_id=7',
    'The query is invalid: product_id: must be of the form 99962-22-00003.',
  ],
])('%s', async (path, message) => {
  const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${gateway.token}` } });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ status: 'error', message });
});
