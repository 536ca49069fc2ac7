/** A bucket for uploads that keeps nothing. */
import { createServer } from 'node:http';
import { listenLocally } from '../../support/local-server.ts';

export async function startForgetfulS3(): Promise<{ url: string; parts(): number }> {
  let parts = 0;
  let uploads = 0;
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://s3');
    request.resume().on('end', () => {
      response.setHeader('Content-Type', 'application/xml');
      if (request.method === 'DELETE') response.writeHead(204).end();
      else if (request.method === 'PUT') {
        parts += 1;
        response.setHeader('ETag', '"part"').end();
      } else if (searchParams.has('uploads')) {
        uploads += 1;
        const result = `<Bucket>b</Bucket><Key>k</Key><UploadId>${uploads}</UploadId>`;
        response.end(`<InitiateMultipartUploadResult>${result}</InitiateMultipartUploadResult>`);
      } else
        response.end('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
    });
  });
  return { url: `http://127.0.0.1:${await listenLocally(server)}`, parts: () => parts };
}
