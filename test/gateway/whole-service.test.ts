/** The gateway's own process beside a whole service: its logs and its shutdown. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../../src/processes/gateway/start-gateway.ts';
import {
  CLIENT_WITHOUT_PERMISSION,
  DEMO_CLIENT,
} from '../../src/trial-parts/identity-service/identity-service.ts';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { BODY_END, fileStart, head, IMPORT_PATH, PART_END, uploadHeaders } from '../support/multipart.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import type { StackProcess } from '../support/stack-process.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();

const gateway = await stack.startProcess('gateway', { LOG_LEVEL: 'trace' });

const packageZip = () => zipOf({ [productPath('a')]: productXml() });

/** The lines that the gateway has written. @throws for one that is no JSON */
function logged(): Record<string, unknown>[] {
  const lines = gateway.output().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

describe('the log', () => {
  it('is one JSON object per line, without tokens and secrets', async () => {
    const token = await stack.token();
    const powerless = await stack.token(CLIENT_WITHOUT_PERMISSION);
    const tampered = `${token.slice(0, -6)}AAAAAA`;
    const expectStatus = async (status: number, path: string, bearer: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${bearer}`, ...init.headers };
      const response = await fetch(gateway.url + path, { ...init, headers });
      expect(`${path} ${response.status}`).toBe(`${path} ${status}`);
    };
    const code = '123-wrong-code';
    const json = { 'content-type': 'application/json' };
    await expectStatus(200, '/regulator/package-imports', token);
    await expectStatus(403, '/regulator/package-imports', powerless);
    await expectStatus(401, '/regulator/package-imports', tampered);
    await expectStatus(401, `/regulator/package-imports?access_token=${token}`, 'nonsense');
    await expectStatus(404, `/nothing?token=${token}`, token, { headers: { cookie: `token=${token}` } });
    await expectStatus(202, '/regulator/session', token, { method: 'POST' });
    const verify = (given: string) => ({
      method: 'POST',
      headers: json,
      body: JSON.stringify({ code: given }),
    });
    await expectStatus(400, '/regulator/session/verification', token, verify(code));
    const pending = await fetch(`${stack.config.regulator.url}/control/verification-code`);
    const right = ((await pending.json()) as { code: string }).code;
    await expectStatus(200, '/regulator/session/verification', token, verify(right));
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(await packageZip())]), 'package.zip');
    await expectStatus(200, IMPORT_PATH, token, { method: 'POST', body: form });
    const { token: session } = await stack.database.regulatorSession.active();
    const requests = await eventually(async () => {
      const found = logged().filter(({ msg }) => msg === 'request');
      return found.length >= 9 && found;
    });
    expect(requests.length).toBe(9);
    expect(requests.every((line) => /^[0-9a-f-]{36}$/.test(String(line.request_id)))).toBe(true);
    expect(requests.map(({ client_id }) => client_id)).toContain(DEMO_CLIENT.clientId);
    expect(session).toEqual(expect.any(String));
    const secrets = [
      ...[token, powerless, tampered].flatMap((jwt) => [jwt, ...jwt.split('.')]),
      ...[DEMO_CLIENT.clientSecret, CLIENT_WITHOUT_PERMISSION.clientSecret],
      ...[
        session ?? '',
        code,
        right,
        stack.config.regulator.password,
        ...(stack.config.encryptionSecrets ?? []),
      ],
      ...['authorization', 'Bearer ', 'eyJ'],
    ];
    expect(secrets.filter((secret) => gateway.output().includes(secret))).toEqual([]);
  });
});

describe('SIGTERM', () => {
  /** An upload whose end is not sent yet. */
  async function beginUpload(gateway: Pick<StackProcess, 'port'>, zip: Buffer): Promise<Connection> {
    const end = PART_END + BODY_END;
    const connection = await Connection.open(gateway.port);
    const length = fileStart().length + zip.length + end.length;
    await connection.send(head(uploadHeaders(await stack.token(), length)) + fileStart());
    await connection.send(zip.subarray(0, 100));
    await eventually(async () => (await incoming()).length > 0);
    return connection;
  }
  const incoming = () => readdir(join(stack.config.dataDir, 'archive', '.incoming')).catch(() => []);
  const isRefused = async (port: number) => {
    const attempt = await Connection.open(port).catch(() => null);
    attempt?.destroy();
    return attempt === null;
  };

  it('refuses new connections, ends idle ones, finishes the running upload despite a second one, and exits with 0', async () => {
    const idle = await Connection.open(gateway.port);
    await idle.send(head({}, { method: 'GET', path: '/health/live' }));
    expect(await idle.status()).toBe(200);
    const silent = await Connection.open(gateway.port);
    const zip = await packageZip();
    const connection = await beginUpload(gateway, zip);
    const started = performance.now();
    gateway.terminate();
    await idle.untilEnded();
    await silent.untilEnded();
    await eventually(() => isRefused(gateway.port));
    gateway.terminate();
    await connection.send(zip.subarray(100));
    await connection.send(PART_END + BODY_END);
    expect(await connection.status()).toBe(200);
    expect(connection.received).toMatch(/^connection: close/im);
    await connection.untilEnded();
    const id = Number(/"id":(\d+)/.exec(connection.received)?.[1]);
    expect(await gateway.exited).toBe(0);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect((await finished(stack, id)).status).toBe('completed');
    expect(logged().length).toBeGreaterThan(9);
  });

  it('aborts an endless upload after its time, and removes its bytes', async () => {
    const { gateway: configured } = stack.config;
    const config = { ...stack.config, gateway: { ...configured, port: 0, uploadGraceMs: 1_000 } };
    const gateway = await startGateway(config, pino({ level: 'silent' }));
    const rows = () => stack.sql('select id from zip_import');
    const before = await rows();
    const connection = await beginUpload({ port: Number(new URL(gateway.url).port) }, await packageZip());
    await gateway.close();
    await connection.untilEnded();
    expect(await incoming()).toEqual([]);
    expect(await rows()).toEqual(before);
  });
});
