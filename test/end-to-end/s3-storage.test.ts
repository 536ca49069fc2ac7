/** A whole import whose packages and attachments are in a bucket, from the upload to retention. */
import { createHash, randomUUID } from 'node:crypto';
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { eventually } from '../support/eventually.ts';
import {
  attachmentPath,
  attachmentXml,
  newProductId,
  productPath,
  productXml,
} from '../support/product-xml.ts';
import { type S3Proxy, startS3Proxy } from '../support/s3-proxy.ts';
import { findS3Servers, type S3Server } from '../support/s3-server.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { download, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const [found] = await findS3Servers(CACHE_DIRECTORY);

describe.skipIf(found === undefined)(
  'with STORAGE_URL=s3://… (needs a server: test/support/s3-server.ts)',
  () => {
    const bucket = `archive-${randomUUID()}`;
    let server: S3Server;
    let proxy: S3Proxy;
    let stack: Stack;
    let imports: Stack['imports'];
    beforeAll(async () => {
      if (!found) return;
      server = await found.start();
      await server.client.send(new CreateBucketCommand({ Bucket: bucket }));
      proxy = await startS3Proxy(server.connection.endpoint);
      for (const [name, value] of Object.entries({ ...server.env, AWS_ENDPOINT_URL_S3: proxy.endpoint }))
        vi.stubEnv(name, value);
      stack = await startStack({
        env: { STORAGE_URL: `s3://${bucket}/imports`, ARCHIVE_RETENTION_DAYS: '30' },
      });
      ({ imports } = stack);
    });

    async function keys(): Promise<string[]> {
      const { Contents = [] } = await server.client.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.map(({ Key = '' }) => Key);
    }

    async function importFiles() {
      const [good, bad] = [newProductId(), newProductId()];
      imports.reject(bad);
      const zip = await zipOf({
        [productPath('good')]: productXml({ productId: good }),
        [productPath('bad')]: productXml({ productId: bad }),
        [attachmentPath('a')]: attachmentXml('the production process'),
      });
      const answer = await upload(stack, zip);
      expect(answer.status).toBe(200);
      const report = await finished(stack, answer.body.data.id);
      imports.restoreRegulator();
      return { result: answer.body.data, report, good };
    }

    async function repairPack(importId: number): Promise<Response> {
      return download(stack, `/regulator/package-imports/${importId}/repair-pack`);
    }

    it('imports, sends attachments, serves the repair pack, and applies retention', async () => {
      const { result, report, good } = await importFiles();
      expect(result.zip_file_path).toMatch(
        new RegExp(`^s3://${bucket}/imports/packages/\\d{4}/\\d{2}/[0-9a-f-]{36}\\.zip$`),
      );
      expect(report.submissions.map(({ status }) => status)).toEqual([
        'regulator_inserted',
        'regulator_insert_failed',
      ]);
      const [sent] = Object.values(imports.casesOf(good)[0]?.attachments ?? {});
      expect(sent).toMatchObject({ accepted: 1, bytes: 22 });
      const stored = await keys();
      expect(stored).toHaveLength(2);
      expect(stored).toContain(result.zip_file_path.slice(`s3://${bucket}/`.length));
      expect(stored).toContainEqual(
        expect.stringMatching(/^imports\/attachments\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/),
      );

      const pack = await repairPack(result.id);
      expect(pack.status).toBe(200);
      expect(Buffer.from(await pack.arrayBuffer()).includes(productPath('bad'))).toBe(true);

      const path = `/regulator/package-imports/${result.id}/package`;
      const whole = Buffer.from(await (await download(stack, path)).arrayBuffer());
      expect(createHash('sha256').update(whole).digest('hex')).toBe(
        (await stack.sql<{ sha256: string }>(`select sha256 from zip_import where id = ${result.id}`))[0]
          ?.sha256,
      );

      await stack.sql(
        `update zip_import set uploaded_at = uploaded_at - interval '31 days' where id = ${result.id}`,
      );
      await stack.temporal.schedule.getHandle('package-import-retention').trigger();
      await eventually(async () => (await repairPack(result.id)).status === 410);
      await eventually(async () => (await keys()).every((key) => key.includes('/attachments/')));
    });

    it('continues reading after an outage of the server, and refuses uploads during it', async () => {
      const files = async () =>
        zipOf(
          Object.fromEntries(
            ['a', 'b'].map((name) => [productPath(name), productXml({ productId: newProductId() })]),
          ),
        );
      const isRead = (seen: string) => /^(?:GET|HEAD)/.test(seen);
      onTestFinished(() => proxy.reset());
      proxy.reset();
      proxy.fault = (seen) => (isRead(seen) ? 'drop the connection' : undefined);
      let early: Awaited<ReturnType<typeof upload>> | undefined;
      const first = upload(stack, await files()).then((answer) => {
        early = answer;
        return answer;
      });
      // As many attempts as the SDK makes, and one more attempt of the activity.
      await eventually(async () => {
        if (early) throw new Error(`answered before it was read: ${JSON.stringify(early.body)}`);
        return proxy.seen.filter(isRead).length > 6;
      });
      proxy.fault = () => 'drop the connection';
      const second = await upload(stack, await files());
      expect(second).toMatchObject({ status: 500, body: { data: { code: 'temporarily_unavailable' } } });
      proxy.reset();
      const { status, body } = await first;
      expect(status).toBe(200);
      expect(body.data.zip_import).toMatchObject({ extracted_xml_files: 2, failed: [] });
      await finished(stack, body.data.id);
    });

    it('leaves nothing of a refused upload in the bucket', async () => {
      const before = await keys();
      const answer = await upload(stack, await zipOf({ [productPath('a')]: productXml() }), {
        email: 'no address',
      });
      expect(answer.status).toBe(400);
      expect(await keys()).toEqual(before);
    });

    it('is ready while the bucket answers', async () => {
      expect((await fetch(`${stack.healthUrl}/health/ready`)).status).toBe(200);
    });
  },
);
