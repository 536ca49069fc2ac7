/** Retries many submissions over a bad connection: nothing is lost, and the next run continues. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { run } from '../support/command.ts';
import { answer, startFakeService } from '../support/fake-service.ts';

const IDS = [1, 2, 3, 4];

/** An import whose products all failed. `behave` replaces the gateway's answer to a retry. */
async function startGateway(behave: (id: number, response: ServerResponse) => boolean) {
  const queued = new Set<number>();
  const submission = (id: number) => ({
    id,
    product_id: `1-2-${id}`,
    case_id: null,
    failure_reason: null,
    warnings: [],
    state: {},
    status: queued.has(id) ? 'regulator_inserting' : 'regulator_insert_failed',
    actions: queued.has(id) ? [] : ['regulator-insert'],
  });
  const service = await startFakeService(({ request, response }) => {
    const [, id, action] = /submissions\/(\d+)(\/actions)?/.exec(request.url ?? '') ?? [];
    if (id === undefined)
      return answer(response, 200, 'Package import.', {
        data: { id: 7, queue: { results: [] }, submissions: IDS.map(submission) },
      });
    if (action === undefined) return answer(response, 200, 'Submission.', { data: submission(Number(id)) });
    if (queued.has(Number(id))) return answer(response, 409, 'Already queued or running.', { data: {} });
    if (behave(Number(id), response)) return;
    queued.add(Number(id));
    return answer(response, 202, 'Queued.', { data: {} });
  });
  const retry = (...args: string[]) => run(['retry', '7', ...service.options, ...args]);
  const each = (...args: string[]) =>
    retry('--submission', ...IDS.filter((id) => !queued.has(id)).map(String), ...args);
  return { retry: each, queued };
}

it('a lost answer and a late answer are survived', async () => {
  const { retry, queued } = await startGateway((id, response) => {
    if (id !== 2) return false;
    // The submission is queued, but the answer is lost.
    queued.add(id);
    response.destroy();
    return true;
  });
  const { code, stdout, stderr } = await retry();
  expect(stdout).toContain('4 of 4 submissions queued.');
  expect(stderr).toContain('Trying again');
  expect(stderr).toContain('4 of 4 queued');
  expect(code).toBe(0);
});

it('an outage of the gateway shows the number of queued submissions, and the repeated command continues', async () => {
  let away = true;
  const { retry, queued } = await startGateway((id, response) => {
    if (!away || id < 3) return false;
    answer(response, 502, 'Bad gateway.');
    return true;
  });
  const broken = await retry('--json');
  expect([...queued]).toEqual([1, 2]);
  expect(broken.stderr).toContain('2 of 4 submissions queued. Repeat the command to queue the rest.');
  expect(JSON.parse(broken.stdout).results).toMatchObject([{ submission_id: 1 }, { submission_id: 2 }]);
  expect(broken.code).toBe(1);
  away = false;
  expect(await retry()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 of 2 submissions queued.'),
  });
});

it('a submission that the service cannot retry, or that another request has queued, does not stop the others', async () => {
  const { retry, queued } = await startGateway((id, response) => {
    if (id === 2) answer(response, 500, 'Internal error.');
    if (id === 3) answer(response, 409, 'Already queued or running.', { data: {} });
    if (id === 3) queued.add(id);
    return id === 2 || id === 3;
  });
  const { code, stdout } = await retry();
  expect(stdout).toMatch(/│ 2 +│ 1-2-2 +│ not queued \(500\)/);
  expect(stdout).toContain('2 of 4 submissions queued.');
  expect(code).toBe(4);
});

/** An import whose products all failed, retried by the service itself. `behave` answers a request in its place. */
async function startRetryingGateway(behave: (request: number, response: ServerResponse) => boolean) {
  const asked: string[] = [];
  const result = (submission_id: number) => ({
    submission_id,
    product_id: `1-2-${submission_id}`,
    ok: true,
    status: 202,
    message: 'Queued.',
    data: {},
  });
  const service = await startFakeService(({ request, response }) => {
    asked.push(`${request.method} ${request.url}`);
    if (behave(asked.length, response)) return;
    const after = Number(/after=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
    const page = IDS.filter((id) => id > after).slice(0, 2);
    const isLast = page.at(-1) === IDS.at(-1);
    answer(response, request.method === 'POST' ? 202 : 200, 'Retry.', {
      data: {
        queued_count: after + page.length,
        failed_count: 0,
        pending_count: IDS.length - after - page.length,
        results: page.map(result),
        next_after: isLast ? null : page.at(-1),
      },
    });
  });
  const retry = (...args: string[]) => run(['retry', '7', ...service.options, ...args]);
  return { retry, asked };
}

const LEFT = '/regulator/package-imports/7/actions/regulator-insert';

it('a retry of the whole import is requested once, and continues after an error', async () => {
  const { retry, asked } = await startRetryingGateway((request, response) => {
    if (request === 1 || request === 3) response.destroy();
    return request === 1 || request === 3;
  });
  const { code, stdout, stderr } = await retry();
  expect(asked).toEqual([
    ...[`POST ${LEFT}?limit=200`, `POST ${LEFT}?limit=200`],
    ...[`GET ${LEFT}?after=2&limit=200`, `GET ${LEFT}?after=2&limit=200`],
  ]);
  expect(stdout).toContain('4 of 4 submissions queued.');
  expect(stdout).toMatch(/│ 4 +│ 1-2-4 +│ queued/);
  expect(stderr).toContain('Trying again');
  expect(stderr).toContain('4 of 4 queued');
  expect(code).toBe(0);
});

it('a rate limit is retried as often as any temporary error', async () => {
  const { retry, asked } = await startRetryingGateway((_request, response) => {
    answer(response, 429, 'Slowly.', { headers: { 'retry-after': '0' } });
    return true;
  });
  const { code, stderr } = await retry();
  expect(asked).toHaveLength(3);
  expect(stderr.match(/attempt \d of \d/g)).toEqual(['attempt 2 of 3', 'attempt 3 of 3']);
  expect(code).toBe(1);
});

it('a retry of the whole import shows its results when the gateway stays away', async () => {
  const { retry } = await startRetryingGateway((request, response) => {
    if (request > 1) answer(response, 502, 'Bad gateway.');
    return request > 1;
  });
  const { code, stdout, stderr } = await retry('--json');
  expect(stderr).toContain('The service continues the retry.');
  expect(JSON.parse(stdout).results).toMatchObject([{ submission_id: 1 }, { submission_id: 2 }]);
  expect(code).toBe(1);
});
