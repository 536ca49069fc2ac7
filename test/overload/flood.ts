/** Those who ask for too much, and one client who does not. */
import { performance } from 'node:perf_hooks';
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
