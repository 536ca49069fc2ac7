/** The files of a dossier, and the record of each submission in it. */

import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Digests, DossierFile } from '../../archive/dossier.ts';
import { type ArchiveStorage, filePieces } from '../../archive/storage.ts';
import { DOSSIER_PAGE } from '../../contract/dossier.ts';
import type { SubmissionRow } from '../../database/entities/submission.ts';
import type { Database } from '../../database/index.ts';
import type {
  DossierContent,
  DossierDetails,
  DossierReference,
  DossierScope,
} from '../../database/repositories/dossiers.ts';
import { presentSubmission } from '../presenters/submission.ts';
import { piecesOf } from '../streams.ts';

/** Submissions that are read at a time: with the largest notes, 0.6 MB. */
const SUBMISSIONS_PAGE = 20;

interface DossierSource {
  database: Pick<Database, 'dossiers' | 'submissions'>;
  storage: Pick<ArchiveStorage, 'has' | 'open'>;
  scope: DossierScope;
  pageOf(entries: AsyncIterable<DossierEntry>): AsyncIterable<string>;
  /** Whether the caller may see who has read. */
  withReads: boolean;
}

export type DossierEntry = Awaited<ReturnType<typeof entryOf>>;

/** The attachments come first, and the page last: each file names the digests of those before. */
export async function* filesOf(source: DossierSource, digests: Digests): AsyncGenerator<DossierFile> {
  const paths = new Map<string, string>();
  for await (const content of contentsOf(source)) {
    const path = `attachments/${content.sha256}${EXTENSIONS.get(content.contentType) ?? ''}`;
    const isStored = await source.storage.has(content.storageKey);
    if (isStored) paths.set(content.sha256, path);
    yield { path, content: isStored ? storedFile(source.storage, content.storageKey) : null };
  }
  for await (const submission of submissionsOf(source))
    yield* filesOfSubmission(source, submission, digests, paths);
  yield { path: DOSSIER_PAGE, content: source.pageOf(entriesOf(source, digests, paths)) };
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', '.pdf'],
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
]);

async function* filesOfSubmission(
  source: DossierSource,
  submission: SubmissionRow,
  digests: Digests,
  paths: ReadonlyMap<string, string>,
): AsyncGenerator<DossierFile> {
  const { dossiers } = source.database;
  const { id } = submission;
  const details = await dossiers.details(id);
  yield { path: pathsOf(id).xml, content: details.hasXml ? gunzipped(dossiers.pieces(id, 'xml')) : null };
  yield { path: pathsOf(id).content, content: dossiers.pieces(id, 'content') };
  const entry = await entryOf(source, submission, details, digests, paths);
  yield { path: pathsOf(id).record, content: piecesOf(entry) };
}

function pathsOf(id: number) {
  const folder = `submissions/${id}`;
  return { xml: `${folder}/product.xml`, content: `${folder}/content.json`, record: `${folder}/record.json` };
}

async function* entriesOf(
  source: DossierSource,
  digests: Digests,
  paths: ReadonlyMap<string, string>,
): AsyncGenerator<DossierEntry> {
  for await (const submission of submissionsOf(source)) {
    const details = await source.database.dossiers.details(submission.id);
    yield entryOf(source, submission, details, digests, paths);
  }
}

/** Newest first. */
async function* submissionsOf({
  database: { submissions },
  scope,
}: DossierSource): AsyncGenerator<SubmissionRow> {
  const { productId, tenant, oldestImport, newestImport } = scope;
  for (let before: number | null | undefined; before !== null; ) {
    const { page, nextBefore } = await submissions.list(
      { tenant, productId },
      { limit: SUBMISSIONS_PAGE, before },
    );
    for (const submission of page) {
      if (submission.packageImport < oldestImport) return;
      if (submission.packageImport <= newestImport) yield submission;
    }
    before = nextBefore;
  }
}

/** The record of a submission, as JSON and for the page. */
async function entryOf(
  { database: { dossiers }, withReads }: DossierSource,
  submission: SubmissionRow,
  details: DossierDetails,
  digests: Digests,
  paths: ReadonlyMap<string, string>,
) {
  const { id, packageImport, xmlFile } = submission;
  const { xml, content } = pathsOf(id);
  const { queueStatus, queueMessage, queuedAt, packageRemovedAt } = details;
  const file = (path: string) => ({
    path: digests.has(path) ? path : null,
    sha256: digests.get(path) ?? null,
  });
  const { actions: _, ...record } = presentSubmission(submission, false);
  return {
    ...record,
    client_id: details.clientId,
    package_name: details.packageName,
    uploaded_at: details.uploadedAt.toISOString(),
    package_removed_at: packageRemovedAt?.toISOString() ?? null,
    queue_result:
      queueStatus === null
        ? null
        : { status: queueStatus, message: queueMessage, at: queuedAt?.toISOString() ?? null },
    product_file: { name: xmlFile, ...file(xml) },
    content_file: file(content),
    attachments: (await dossiers.references(id)).map((reference) => presentReference(reference, paths)),
    audit_events: presentedEvents(dossiers.events({ submissionId: id, importId: packageImport }, withReads)),
  };
}

/** `path` is null if the file is not stored. */
function presentReference(
  { attachmentId, step, sentAt, fileName, contentType, sizeBytes, sha256, confidential }: DossierReference,
  paths: ReadonlyMap<string, string>,
) {
  return {
    attachment_id: attachmentId,
    step,
    sent_at: sentAt?.toISOString() ?? null,
    file_name: fileName,
    content_type: contentType,
    confidential,
    size_bytes: sizeBytes,
    sha256,
    path: (sha256 !== null && paths.get(sha256)) || null,
  };
}

async function* presentedEvents(events: ReturnType<Database['dossiers']['events']>) {
  for await (const { at, actor, action, detail } of events)
    yield { at: at.toISOString(), actor, action, detail };
}

async function* contentsOf({ database: { dossiers }, scope }: DossierSource): AsyncGenerator<DossierContent> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: DossierContent[] = await dossiers.contents(scope, after);
    yield* page;
    after = page.at(-1)?.sha256;
  }
}

async function* storedFile(storage: Pick<ArchiveStorage, 'open'>, key: string): AsyncGenerator<Uint8Array> {
  const stored = await storage.open(key);
  try {
    yield* filePieces(stored, 0, stored.sizeBytes);
  } finally {
    await stored.close();
  }
}

async function* gunzipped(gzip: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  pipeline(Readable.from(gzip), gunzip, () => {});
  yield* gunzip;
}
