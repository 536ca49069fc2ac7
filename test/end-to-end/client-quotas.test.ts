/** Quotas of clients over two gateways on one database (decision §quotas). */

import { describe, expect, it } from 'vitest';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { head, multipartBody, uploadHeaders } from '../support/multipart.ts';
import { packageOf, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack({ env: { CLIENT_UPLOADS_AT_ONCE: '3' } });
const second = await stack.startGateway();
const ports = [stack.config.gateway.port, second.port];

const onePackage = () => packageOf({});

describe('over two gateways', () => {
  it('concurrent uploads are counted together until they end', async () => {
    const token = await stack.token();
    const body = multipartBody(100_000);
    const running = await Promise.all(
      [0, 1, 0].map(async (gateway) => {
        const connection = await Connection.open(ports[gateway] ?? 0);
        await connection.send(head(uploadHeaders(token, body.length)));
        await connection.send(body.subarray(0, 1_000));
        return connection;
      }),
    );
    await eventually(async () => (await stack.count('client_slot')) === 3);
    const zip = await onePackage();
    for (const url of [stack.gatewayUrl, second.url]) {
      const refused = await upload({ ...stack, gatewayUrl: url }, zip);
      expect(refused).toMatchObject({ status: 429, body: { data: { code: 'too_many_requests' } } });
      expect(refused.headers.get('retry-after')).toBe('5');
    }
    for (const connection of running) connection.destroy();
    await eventually(async () => (await stack.count('client_slot')) === 0);
    const answer = await upload({ ...stack, gatewayUrl: second.url }, zip);
    expect(answer.status).toBe(200);
    await finished(stack, answer.body.data.id);
  });

  it('the files of a package are counted when they are recorded, refused ones as well', async () => {
    const points = async () => {
      const [row] = await stack.sql<{ points: number }>(
        `select points from client_rate where key = 'files:${DEMO_CLIENT.clientId}'`,
      );
      return row?.points ?? 0;
    };
    const before = await points();
    const zip = await zipOf({
      [productPath('a')]: productXml(),
      [productPath('refused')]: '<no-product/>',
      'root/export/attachments/unreadable.xml': '<no-attachment/>',
    });
    const { body } = await upload(stack, zip, { email: 'person@company.example' });
    await finished(stack, body.data.id);
    expect((await points()) - before).toBe(4);
    // The other quotas are counted there, too.
    const keys = await stack.sql<{ key: string }>('select key from client_rate');
    const { clientId } = DEMO_CLIENT;
    for (const key of [`mails:${clientId}`, `requests:client:${clientId}`])
      expect(keys).toContainEqual({ key });
  });
});
