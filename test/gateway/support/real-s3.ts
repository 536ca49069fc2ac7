/** A bucket of a real S3 server, with the interface of the fake one. */
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { startS3Proxy } from '../../support/s3-proxy.ts';
import type { FoundServer } from '../../support/s3-server.ts';
import type { startForgetfulS3 } from './forgetful-s3.ts';

/** Creates the bucket whose name `startGateway` uses. */
export async function startRealS3(found: FoundServer): ReturnType<typeof startForgetfulS3> {
  const server = await found.start();
  await server.client.send(new CreateBucketCommand({ Bucket: 'packages' }));
  const proxy = await startS3Proxy(server.connection.endpoint);
  return {
    url: proxy.endpoint,
    parts: () => proxy.seen.filter((seen) => seen.startsWith('PUT part')).length,
  };
}
