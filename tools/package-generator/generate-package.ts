/** Makes packages like the exports of the XML Creator tool (package format §1). */
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { type Attachment, planAttachments } from './attachments.ts';
import { submitterDetails } from './contents.ts';
import type { XmlNode } from './document.ts';
import { type Outcome, PACKAGE_FAULTS } from './faults.ts';
import { type PackageOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { faultOf, outcomeOf, type PlannedFile, planProducts, writeProduct } from './plan.ts';
import { createRandom } from './random.ts';
import { encode, writeXml } from './write.ts';

interface FileOf<Kind> {
  kind: Kind;
  /** Path in the archive. */
  path: string;
  content(): Buffer;
}
export type ProductFile = FileOf<'product' | 'tobacco-product'> & { planned: PlannedFile };
export type AttachmentFile = Attachment & { kind: 'attachment'; path: string };
export type SubmitterFile = FileOf<'submitter'> & { document: XmlNode };
/** The importer does not read files of the kind `other`. */
export type GeneratedFile = ProductFile | AttachmentFile | SubmitterFile | FileOf<'other'>;

export interface GeneratedPackage {
  /** In archive order. Contents are made on demand, and are the same every time. */
  files: readonly GeneratedFile[];
  /** The text that the refusal of the whole package must mention; null when the package is read. */
  refusal: RegExp | null;
  /** Number of product files by outcome when nothing of the package was imported before. All 0 for a refused package. */
  outcomes: Readonly<Record<Outcome, number>>;
  /** The ZIP as a stream, made in constant memory. */
  toStream(): Readable;
  /** Writes the ZIP and returns its size. A failure leaves no file. */
  writeTo(path: string): Promise<{ bytes: number }>;
}

/**
 * A package, the same for the same options.
 *
 * @throws RangeError for invalid options
 */
export function generatePackage(options: PackageOptions = {}): GeneratedPackage {
  const resolved = resolveOptions(options);
  const { faults } = resolved;
  const files = filesOf(resolved);
  const refused = (['second-root', 'no-export'] as const).find((name) => (faults[name] ?? 0) > 0);
  const outcomes = { created: 0, failed: 0, skipped: 0 };
  if (!refused) for (const file of files) if ('planned' in file) outcomes[outcomeOf(file.planned)] += 1;
  const toStream = () => packed(files, effortFor(resolved));
  return {
    files,
    refusal: (refused && PACKAGE_FAULTS[refused].refusal) ?? null,
    outcomes,
    toStream,
    async writeTo(path) {
      try {
        await pipeline(toStream(), createWriteStream(path));
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      return { bytes: (await stat(path)).size };
    },
  };
}

const ROOT = 'euceg-export';

/** Folder by folder, as a walk through a directory finds them. */
function filesOf(options: ResolvedOptions): GeneratedFile[] {
  const { faults, submitterId } = options;
  const base = `${ROOT}/${(faults['no-export'] ?? 0) > 0 ? 'xml' : 'export'}`;
  const attachments = planAttachments(options).map<AttachmentFile>((attachment) => ({
    ...attachment,
    kind: 'attachment',
    path: `${base}/attachments/${attachment.attachmentId}.xml`,
  }));
  const ids = attachments.map(({ attachmentId }) => attachmentId);
  const products = planProducts(options, ids).map<ProductFile>((planned) => {
    const [kind, folder] = faultOf(planned).inTobaccoFolder
      ? (['tobacco-product', 'tobacco-product-submissions'] as const)
      : (['product', 'ecigarette-product-submissions'] as const);
    const path = `${base}/${folder}/${planned.fileName}`;
    return { kind, path, content: () => writeProduct(planned), planned };
  });
  const submitter = submitterDetails(submitterId);
  const files: GeneratedFile[] = [
    ...attachments,
    ...products.filter(({ kind }) => kind === 'product'),
    {
      kind: 'submitter',
      path: `${base}/submitters/${submitterId}.xml`,
      document: submitter,
      content: () => encode(writeXml(submitter, [], createRandom('submitter file')), []),
    },
    ...products.filter(({ kind }) => kind === 'tobacco-product'),
  ];
  const secondRoots = Array.from({ length: faults['second-root'] ?? 0 }, (_, index) =>
    other(`${ROOT}-${index + 2}/export/attachments/readme.txt`, Buffer.from(`Export ${index + 2}\n`)),
  );
  const paths = files.map(({ path }) => path);
  return [...files, ...litterOf(paths, faults.litter ?? 0), ...secondRoots];
}

/** @param appleDoubles number of AppleDouble files that macOS adds under `__MACOSX/` */
function litterOf(paths: readonly string[], appleDoubles: number): FileOf<'other'>[] {
  if (appleDoubles === 0) return [];
  const appleDoubleOf = (path: string) =>
    other(path.replace(/[^/]*$/, '._$&'), Buffer.from('0005160700020000', 'hex'));
  return [
    other('.DS_Store', Buffer.from('0000000142756431', 'hex')),
    other(`${ROOT}/Thumbs.db`, Buffer.from('d0cf11e0a1b11ae1', 'hex')),
    ...paths.slice(0, appleDoubles).map((path) => appleDoubleOf(`__MACOSX/${path}`)),
    ...paths.slice(0, 1).map(appleDoubleOf),
  ];
}

const other = (path: string, bytes: Buffer): FileOf<'other'> => ({
  kind: 'other',
  path,
  content: () => bytes,
});

/**
 * Time and mode of all files. The ZIP has only time stamps in local time: its bytes are the same in every
 * time zone. They may differ between versions of Node, whose zlib determines the compression.
 */
const ENTRY = { mtime: new Date(2025, 0, 15, 12, 0, 0), mode: 0o100644, forceDosTimestamp: true };

/** Effort of the compression of attachments: base64 shrinks by a quarter at most, and gigabytes of it take minutes. */
function effortFor({ attachmentBytes }: ResolvedOptions): number {
  return attachmentBytes > LARGE_BYTES ? 0 : 1;
}

const LARGE_BYTES = 64 * 1024 * 1024;
const USUAL_EFFORT = 6;

/** Packs files one after the other. The stream fails when the content of a file fails. */
function packed(files: readonly GeneratedFile[], attachmentEffort: number): Readable {
  const zip = new ZipFile();
  // The type of yazl declares less than a Readable; the value is a PassThrough.
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => output.destroy(error);
  zip.on('error', fail);
  for (const { path, kind, content } of files) {
    const compressionLevel = kind === 'attachment' ? attachmentEffort : USUAL_EFFORT;
    zip.addReadStreamLazy(path, { ...ENTRY, compressionLevel }, (begin) => {
      const made = content();
      const source = Buffer.isBuffer(made) ? Readable.from([made]) : made;
      source.once('error', fail);
      begin(null, source);
    });
  }
  zip.end();
  return output;
}
