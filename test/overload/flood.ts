/** Clients that ask for too much, one client that does not, and the packages of both. */
import { performance } from 'node:perf_hooks';
import { type EntrySpec, writeZip } from '../archive/support/zip-writer.ts';
import { productPath, productXml, unknownReferences } from '../support/product-xml.ts';
import type { World } from '../support/starters/world.ts';
import { tokenOf } from '../support/tokens.ts';
import type { FlooderAnswer, HonestRequest } from './verdict.ts';

export interface UploadOptions {
  clientId: string;
  zip: Buffer;
  /** Reads the package and imports nothing. */
  dryRun?: boolean;
  timeoutMs: number;
}

const IMPORT_PATH = '/regulator/package-import';

/** Null where there was no answer in time. */
export async function upload(
  world: World,
  { clientId, zip, dryRun, timeoutMs }: UploadOptions,
): Promise<Response | null> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(zip)], { type: 'application/zip' }), 'package.zip');
  if (dryRun) form.set('dry_run', 'true');
  try {
    const response = await fetch(world.url + IMPORT_PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf(world, clientId)}` },
      body: form,
      signal: AbortSignal.timeout(timeoutMs),
    });
    // Taken in, as a client would.
    await response.arrayBuffer();
    return response;
  } catch {
    return null;
  }
}

/** Sends once, and does not come again. */
export async function flood(world: World, what: string, options: UploadOptions): Promise<FlooderAnswer> {
  const response = await upload(world, options);
  return {
    what,
    status: response?.status ?? null,
    hasRetryAfter: response?.headers.has('retry-after') ?? false,
  };
}

export interface HonestClient {
  /** Requests so far. */
  seen: HonestRequest[];
  /** Resolves when its last request is answered. */
  stop(): Promise<void>;
}

const HONEST_TIMEOUT_MS = 120_000;

/**
 * One import of one product after the other, and its list beside; each request once, without coming again.
 *
 * @param nextZip a package that it has not sent yet
 */
export function startHonestClient(world: World, nextZip: () => Buffer): HonestClient {
  const clientId = 'honest-client';
  const seen: HonestRequest[] = [];
  let stopped = false;

  async function timed(
    what: HonestRequest['what'],
    ask: () => Promise<Pick<Response, 'status'> | null>,
  ): Promise<void> {
    const began = performance.now();
    const answer = await ask().catch(() => null);
    seen.push({ what, status: answer?.status ?? null, seconds: (performance.now() - began) / 1000 });
  }

  async function again(work: () => Promise<void>): Promise<void> {
    while (!stopped) {
      await work();
      // A sequential program.
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  const list = async () => {
    const response = await fetch(`${world.url}/regulator/package-imports?limit=5`, {
      headers: { authorization: `Bearer ${await tokenOf(world, clientId)}` },
      signal: AbortSignal.timeout(HONEST_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response;
  };
  const working = Promise.all([
    again(() =>
      timed('import', () => upload(world, { clientId, zip: nextZip(), timeoutMs: HONEST_TIMEOUT_MS })),
    ),
    again(() => timed('list', list)),
  ]);
  return {
    seen,
    async stop() {
      stopped = true;
      await working;
    },
  };
}

export interface HostileSizes {
  /** Products, and the attachments that each refers to and nobody knows. */
  products: number;
  references: number;
  /** Empty attachments of one ZIP. */
  attachments: number;
  /** ZIPs, and the entries with long names that each has. */
  directories: number;
  entries: number;
}

/** A product ID of which no other is made here: submitters of their own, so that a million fit. */
export function createProductIds(): () => string {
  let last = 0;
  return () => {
    last += 1;
    const submitter = String(10_000 + Math.floor(last / 90_000));
    return `${submitter}-26-${String(10_000 + (last % 90_000))}`;
  };
}

export function ordinary(nextId: () => string, products = 1): Buffer {
  return writeZip({ entries: Array.from({ length: products }, () => productEntry(nextId())) });
}

/** The packages of issue 11, in turn where there are several. */
export function* hostile(nextId: () => string, sizes: HostileSizes): Generator<Buffer> {
  const { products, references, attachments, directories, entries } = sizes;
  const block = unknownReferences(references);
  const edit = (xml: string) => xml.replace('<Presentations>', `${block}<Presentations>`);
  yield writeZip({
    entries: Array.from({ length: products }, (): EntrySpec => {
      const productId = nextId();
      return { name: productPath(productId), content: productXml({ productId, edit }), deflated: true };
    }),
  });
  yield writeZip({
    zip64: true,
    entries: [
      productEntry(nextId()),
      ...Array.from({ length: attachments }, (_, n) => ({
        name: `root/export/attachments/${n}.xml`,
        content: '',
      })),
    ],
  });
  const longNamed = Array.from({ length: entries }, (_, n) => ({
    name: `root/${`${n}`.padStart(225, 'n')}`,
  }));
  const directory = writeZip({ zip64: true, entries: [productEntry(nextId()), ...longNamed] });
  for (let n = 0; n < directories; n += 1) yield directory;
}

function productEntry(productId: string): EntrySpec {
  return { name: productPath(productId), content: productXml({ productId }), deflated: true };
}
