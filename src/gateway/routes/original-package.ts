/** Download of an import's package as it was uploaded, whole or in parts. */
import { fileStream } from '../../archive/storage.ts';
import { getOriginalPackage } from '../../contract/schemas/import-actions.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import { isKnown } from '../answers.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { findImport } from '../ownership.ts';
import { READ_BYTES } from '../quotas/read-budgets.ts';
import { openKept, requireKept } from '../requirements.ts';
import { defineRoute, type GatewayContext } from '../route.ts';

/** Estimated memory before the storage of the package is known. */
const BYTES_OF_A_DOWNLOAD = 2 * READ_BYTES;

export function originalPackageRoute({ database, readAudit, storage }: GatewayDependencies) {
  return defineRoute({
    ...getOriginalPackage,
    async handle({ caller, params: { id }, budget, ctx }) {
      const record = await findImport(database, caller, id);
      requireKept(record);
      const { sizeBytes, sha256 } = record;
      const tag = `"${sha256}"`;
      const fileName = `package-${id}.zip`;
      // Before `Range` (RFC 9110 §13.2.2).
      if (isKnown(ctx, tag)) return { stream: null, fileName, status: 304, headers: { ETag: tag } };
      const part = requestedPart(ctx, record);
      await budget.reserve(BYTES_OF_A_DOWNLOAD);
      await readAudit.always(caller, { action: 'import.package_read', importId: id });
      const reader = await openKept(database, record, () => storage.open(record.storageKey));
      // While the client takes nothing: the piece on its way and the next one.
      budget.loaded(2 * reader.pieceBytes);
      const { start, end } = part ?? { start: 0, end: sizeBytes };
      const stream = fileStream(reader, start, end);
      stream.once('close', () => void reader.close());
      return {
        stream,
        fileName,
        status: part ? 206 : 200,
        headers: {
          'Accept-Ranges': 'bytes',
          'Content-Length': String(end - start),
          ...(part && { 'Content-Range': `bytes ${start}-${end - 1}/${sizeBytes}` }),
          ETag: tag,
          'Repr-Digest': reprDigest(sha256),
        },
      };
    },
  });
}

/**
 * The requested part; null for the whole package. A part of another file than the client has begun with is not sent
 * (RFC 9110 §13.1.5).
 *
 * @throws HttpError 416
 */
function requestedPart(
  ctx: Pick<GatewayContext, 'method' | 'get'>,
  { sizeBytes, sha256 }: PackageImportRow,
): ByteRange | null {
  const expected = ctx.get('if-range');
  if (ctx.method !== 'GET' || (expected !== '' && expected !== `"${sha256}"`)) return null;
  const part = byteRange(ctx.get('range'), sizeBytes);
  if (part !== 'unsatisfiable') return part;
  const message = `The file has ${sizeBytes} bytes. The requested range begins behind them.`;
  const headers = { 'Content-Range': `bytes */${sizeBytes}` };
  throw new HttpError('range_not_satisfiable', message, { headers });
}

/** From `start` (inclusive) to `end` (exclusive). */
interface ByteRange {
  start: number;
  end: number;
}

/**
 * The part of a file that the header `Range` asks for (RFC 9110 §14).
 *
 * @param header empty if there is none
 * @returns null for the whole file: without a range, with several, and with one that is no range of bytes. All of these may
 *   be ignored (RFC 9110 §14.2)
 */
export function byteRange(header: string, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header.replaceAll(' ', '')) ?? [];
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  return start < end ? { start, end } : 'unsatisfiable';
}

/** RFC 9530 §3. */
function reprDigest(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
}
