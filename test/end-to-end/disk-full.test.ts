/**
 * An archive on a file system that is really full: a small one in memory, which root may mount (decision
 * §room-for-packages).
 */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/contract/error-codes.ts';
import { eventually } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import { attachmentPath, attachmentXml, productPath, productXml } from '../support/product-xml.ts';
import { FILLER, mountSmallDisk } from '../support/small-disk.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const MB = 1024 * 1024;
const disk = mountSmallDisk(8);
const directory = disk?.directory ?? '';

/** Names of all files in the archive. */
const files = async () => (await filesBelow(directory)).map((path) => basename(path));

/** Fills the disk except for so many bytes, and frees the space afterwards. */
async function withRoom<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  await disk?.leave(bytes);
  try {
    return await work();
  } finally {
    await disk?.makeRoom();
  }
}

async function packageOf(attachmentBytes: number) {
  return zipOf({
    [attachmentPath('a')]: attachmentXml(randomBytes(attachmentBytes)),
    [productPath('a')]: productXml(),
  });
}

describe.skipIf(disk === null)('an archive without room (needs root, to mount a small file system)', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({
      env: { STORAGE_URL: `file://${directory}`, STORAGE_MIN_FREE_MB: '0' },
    });
  });

  const FULL = { status: 503, body: { status: 'error', data: { code: 'storage_full' } } };

  it('during an upload: 503, and nothing is left', async () => {
    const zip = await packageOf(3 * MB);
    const answer = await withRoom(MB, async () => {
      const refused = await upload(stack, zip);
      expect(await files()).toEqual([FILLER]);
      return refused;
    });
    expect(answer).toMatchObject(FULL);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await stack.sql('select 1 from zip_import')).toEqual([]);
    expect(ERROR_CODES).toContain('storage_full');
  });

  it('during reading: 503, nothing is left, and the same request succeeds later', async () => {
    const zip = await packageOf(2 * MB);
    const headers = { 'Idempotency-Key': 'again' };
    await withRoom(zip.length + MB, async () => {
      const refused = await upload(stack, zip, { headers });
      expect(refused).toMatchObject(FULL);
      await eventually(async () => (await files()).join() === FILLER);
    });
    const [failed] = await stack.sql<{ id: number; reason: string; bytes: number }>(
      'select id, failure_reason as reason, attachment_bytes::int as bytes from zip_import where archive_removed_at is not null',
    );
    expect(failed).toMatchObject({ reason: expect.stringContaining('storage is full'), bytes: 0 });
    const answer = await upload(stack, zip, { headers });
    expect(answer.status).toBe(200);
    expect(answer.body.data.id).not.toBe(failed?.id);
    expect((await finished(stack, answer.body.data.id)).submissions[0]?.status).toBe('regulator_inserted');
  });
});
