/** A parameter with a typo is refused: what it was meant to narrow, or not to import, would otherwise happen in full. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareGateway, startBareGateway } from './support/bare-gateway.ts';

let gateway: BareGateway;
let headers: { authorization: string };

beforeAll(async () => {
  gateway = await startBareGateway();
  headers = { authorization: `Bearer ${await gateway.tokens.sign()}` };
});
afterAll(() => gateway.stop());

async function refusal(method: string, path: string) {
  const response = await fetch(gateway.url + path, { method, headers });
  const { message, data } = (await response.json()) as { message: string; data: { code?: string } };
  return { status: response.status, message, code: data.code };
}

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
  ])('%s %s names it, and those that are known', async (method, path, named, known) => {
    const { status, message, code } = await refusal(method, path);
    expect({ status, code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(message).toContain(`The query is invalid: ${named} is not known; known are ${known}`);
  });

  it('are no business of who may not call it', async () => {
    const answer = await fetch(`${gateway.url}/regulator/package-imports?stauts=failed`);
    expect(answer.status).toBe(401);
  });

  it('do not disturb what everybody may ask for: probes add some of their own', async () => {
    expect((await fetch(`${gateway.url}/health/live?probe=1`)).status).toBe(200);
  });
});
