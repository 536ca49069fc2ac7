/** Quotas of clients over two gateways on one database (decision §quotas). */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/processes/gateway/start-gateway.ts';
import type { RunningPart } from '../../src/processes/shared/parts.ts';
import {
  CLIENT_WITHOUT_PERMISSION,
  DEMO_CLIENT,
} from '../../src/trial-parts/identity-service/identity-service.ts';
import { Connection } from '../gateway/support/connection.ts';
import { head, multipartBody, uploadHeaders } from '../gateway/support/requests.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

let stack: TestStack;
let second: RunningPart & { url: string };
let workers: { close(): Promise<void> };
let ports: number[];
beforeAll(async () => {
  stack = await startTestStack({
    env: {
      CLIENT_REQUESTS_PER_MINUTE: '200',
      CLIENT_UPLOADS_AT_ONCE: '3',
      MAIL_RECIPIENT_DOMAINS: 'company.example',
    },
    withoutWorkers: true,
  });
  workers = await stack.startWorkers();
  const [port = 0] = await freePorts(1);
  const { gateway } = stack.config;
  second = await startGateway({ ...stack.config, gateway: { ...gateway, port } }, pino({ level: 'silent' }));
  ports = [gateway.port, port];
});
afterAll(async () => {
  await second?.close();
  await stack?.stop();
});

const onePackage = () => zipOf({ [productPath('a')]: productXml() });

describe('over two gateways', () => {
  it('uploads at the same time are counted together, and free again when they end', async () => {
    const token = await stack.token();
    const body = multipartBody(100_000);
    const running = await Promise.all(
      [0, 1, 0].map(async (gateway) => {
        const connection = await Connection.open(ports[gateway] ?? 0);
        onTestFinished(() => connection.destroy());
        await connection.send(head(uploadHeaders(token, body.length)));
        await connection.send(body.subarray(0, 1_000));
        return connection;
      }),
    );
    await eventually(async () => (await stack.sql('select 1 from client_slot')).length === 3);
    const zip = await onePackage();
    for (const url of [stack.gatewayUrl, second.url]) {
      const refused = await upload({ ...stack, gatewayUrl: url }, zip);
      expect(refused).toMatchObject({ status: 429, body: { data: { code: 'too_many_requests' } } });
      expect(refused.headers.get('retry-after')).toBe('5');
    }
    for (const connection of running) connection.destroy();
    await eventually(async () => (await stack.sql('select 1 from client_slot')).length === 0);
    const answer = await upload({ ...stack, gatewayUrl: second.url }, zip);
    expect(answer.status).toBe(200);
    await finished(stack, answer.body.data.id);
  });

  it('dry runs are uploads: counted with them, and until their answer', async () => {
    await workers.close();
    const zip = await onePackage();
    const dryRun = (gatewayUrl: string) => {
      const form = new FormData();
      form.set('file', new Blob([zip.slice()]), 'package.zip');
      form.set('dry_run', 'true');
      return call({ ...stack, gatewayUrl }, 'POST', '/regulator/package-import', { body: form });
    };
    // Without a worker they are never read: they stay under way.
    const running = [stack.gatewayUrl, second.url, second.url].map(dryRun);
    await eventually(async () => (await stack.sql('select 1 from client_slot')).length === 3);
    for (const url of [stack.gatewayUrl, second.url]) {
      const refused = await upload({ ...stack, gatewayUrl: url }, zip);
      expect(refused).toMatchObject({ status: 429, body: { data: { code: 'too_many_requests' } } });
      expect(refused.headers.get('ratelimit-policy')).toContain('"uploads";q=3');
    }
    workers = await stack.startWorkers();
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
    expect((await dryRun(second.url)).status).toBe(200);
  });

  it('summaries go to domains that are allowed only', async () => {
    for (const url of [stack.gatewayUrl, second.url]) {
      const email = 'person@elsewhere.example';
      const refused = await upload({ ...stack, gatewayUrl: url }, await onePackage(), { email });
      expect(refused).toMatchObject({ status: 400, body: { data: { code: 'invalid_request' } } });
    }
  });

  it('mails are counted together', async () => {
    // Two of its thousand are left to the client.
    await stack.sql(
      `insert into client_rate (key, points, expire)
       values ('mails:${DEMO_CLIENT.clientId}', 998, (extract(epoch from now()) + 3600)::bigint * 1000)
       on conflict (key) do update set points = excluded.points, expire = excluded.expire`,
    );
    const statuses: number[] = [];
    for (const url of [stack.gatewayUrl, second.url, stack.gatewayUrl, second.url]) {
      const answer = await upload({ ...stack, gatewayUrl: url }, await onePackage(), {
        email: 'person@company.example',
      });
      statuses.push(answer.status);
      if (answer.status === 200) await finished(stack, answer.body.data.id);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await upload(stack, await onePackage())).status).toBe(200);
  });

  it('requests are counted together, with a statement for few of them', async () => {
    const token = await stack.token(CLIENT_WITHOUT_PERMISSION);
    const answers = new Map<number, number>();
    for (let sent = 0; sent < 260; sent += 1) {
      const url = sent % 2 === 0 ? stack.gatewayUrl : second.url;
      const { status } = await fetch(`${url}/regulator/package-imports?limit=1`, {
        headers: { authorization: `Bearer ${token}` },
      });
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
    // The request lacks the permission, which the gateway checks after the quota.
    expect(Object.fromEntries(answers)).toEqual({ 403: 200, 429: 60 });
    const [row] = await stack.sql<{ points: number }>(
      `select points from client_rate where key = 'requests:${CLIENT_WITHOUT_PERMISSION.clientId}'`,
    );
    // The other gateway learns of them when it asks for more.
    expect(row?.points).toBeLessThanOrEqual(210);
  });
});
