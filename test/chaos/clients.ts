/**
 * Correct clients: each sends its packages with keys of its own over the duration of the faults, and retries until it
 * has an answer.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { retryAfterSeconds } from '../../src/common/network.ts';
import type { ImportResult } from '../../src/contract/types.ts';
import { createRandom } from '../../tools/package-generator/random.ts';
import type { World } from '../support/starters/world.ts';
import { tokenOf } from '../support/tokens.ts';
import { makePackage, type SentPackage, type SentProduct } from './packages.ts';
import type { Victims } from './trouble.ts';

/** One package, and the answers to its client. */
export interface Upload {
  clientId: string;
  key: string;
  products: SentProduct[];
  /** The answer of the first 200; null when there was none. */
  answer: ImportResult | null;
  /** The reason why the client has given up. */
  refusal: string | null;
  /** The answer to the same request at the end; null when it is not 200. */
  repeated: ImportResult | null;
}

export interface LoadCounts {
  requests: number;
  /** Requests by outcome: a status, or the name of an error. */
  outcomes: Record<string, number>;
}

export interface Clients extends Victims {
  counts: LoadCounts;
  /** Resolves when the client has its answer, or has given up. */
  send(clientId: string, key: string, sent: SentPackage): Promise<Upload>;
  /** Sends the same request once more. */
  repeat(upload: Upload, sent: SentPackage): Promise<void>;
}

const RECIPIENT = 'person@company.example';
const IMPORT_PATH = '/regulator/package-import';
/** Request timeout; the client then retries. */
const MAX_WAIT_MS = 45_000;
const PAUSE_MS = 1_000;
/** The client gives up after this time, which is longer than any outage. */
const GIVES_UP_MS = 15 * 60_000;
/** Statuses that concern no property of the request, and the status for a token that has expired meanwhile. */
const WORTH_REPEATING: readonly number[] = [401, 408, 429, 500, 502, 503, 504];
const FINAL_CODES: readonly string[] = ['invalid_package', 'import_cancelled'];

interface Answer {
  status: number;
  headers: Headers;
  data: unknown;
  message: string;
}

export function createClients(world: World): Clients {
  const counts: LoadCounts = { requests: 0, outcomes: {} };
  let leavers = 0;
  let putOff = 0;

  async function send(clientId: string, key: string, sent: SentPackage): Promise<Upload> {
    const upload: Upload = {
      clientId,
      key,
      products: sent.products,
      answer: null,
      refusal: null,
      repeated: null,
    };
    const body = await bodyOf(sent.zip);
    for (const deadline = Date.now() + GIVES_UP_MS; ; ) {
      const last = await tryOnce(clientId, key, body);
      if (typeof last !== 'string' && last.status === 200) {
        upload.answer = last.data as ImportResult;
        return upload;
      }
      if (typeof last !== 'string' && isFinal(last)) {
        upload.refusal = `${last.status} ${last.message}`;
        return upload;
      }
      if (Date.now() > deadline) {
        upload.refusal = `no answer for ${GIVES_UP_MS / 60_000} minutes; at last ${typeof last === 'string' ? last : `${last.status} ${last.message}`}`;
        return upload;
      }
      await sleep(typeof last === 'string' ? PAUSE_MS : 1000 * (retryAfterSeconds(last.headers) ?? 1));
    }
  }

  /** Returns the name of the error when there was no answer. */
  async function tryOnce(clientId: string, key: string, body: Body): Promise<Answer | string> {
    if (leavers > 0) {
      leavers -= 1;
      await leave(clientId, key, body);
      return 'left in the middle';
    }
    const answer = await post(clientId, key, body).catch((error: Error) => error.name);
    const outcome = typeof answer === 'string' ? answer : String(answer.status);
    counts.requests += 1;
    if (typeof answer !== 'string' && codeOf(answer) === 'temporarily_unavailable') putOff += 1;
    counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + 1;
    return answer;
  }

  async function headersOf(clientId: string, key: string, { contentType }: Body) {
    const token = await tokenOf(world, clientId);
    return { authorization: `Bearer ${token}`, 'content-type': contentType, 'idempotency-key': key };
  }

  async function post(clientId: string, key: string, body: Body): Promise<Answer> {
    const response = await fetch(world.url + IMPORT_PATH, {
      method: 'POST',
      headers: await headersOf(clientId, key, body),
      body: body.bytes,
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    });
    const { message = '', data } = (await response.json()) as { message?: string; data?: unknown };
    return { status: response.status, headers: response.headers, message, data };
  }

  async function leave(clientId: string, key: string, body: Body): Promise<void> {
    const headers = { ...(await headersOf(clientId, key, body)), 'content-length': body.bytes.length };
    const half = request(world.url + IMPORT_PATH, { method: 'POST', headers });
    half.on('error', () => {});
    half.write(body.bytes.subarray(0, body.bytes.length / 2));
    const connected = once(half, 'socket').then(([socket]) =>
      socket.connecting ? once(socket, 'connect') : null,
    );
    await connected.catch(() => {});
    await sleep(100); // The body is being sent.
    half.destroy();
  }

  return {
    counts,
    send,
    async repeat(upload, sent) {
      const answer = await post(upload.clientId, upload.key, await bodyOf(sent.zip));
      upload.repeated = answer.status === 200 ? (answer.data as ImportResult) : null;
    },
    leaveInTheMiddle() {
      leavers += 1;
    },
    putOff: () => putOff,
  };
}

interface Body {
  contentType: string;
  bytes: Buffer<ArrayBuffer>;
}

/** Makes the same bytes for every attempt. */
async function bodyOf(zip: Buffer): Promise<Body> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(zip)], { type: 'application/zip' }), 'package.zip');
  form.set('email', RECIPIENT);
  const response = new Response(form);
  const contentType = response.headers.get('content-type') ?? '';
  return { contentType, bytes: Buffer.from(await response.arrayBuffer()) };
}

function isFinal(answer: Answer): boolean {
  return !WORTH_REPEATING.includes(answer.status) || FINAL_CODES.includes(codeOf(answer));
}

/** The code of an error; otherwise empty. */
function codeOf({ data }: Answer): string {
  return (data as { code?: string } | undefined)?.code ?? '';
}

export interface LoadOptions {
  seed: number;
  imports: number;
  clients: number;
  products: [from: number, to: number];
  /** Share of the faults that have begun, from 0 to 1. */
  progress(): number;
}

export interface SentUpload {
  upload: Upload;
  sent: SentPackage;
}

const LOOKS_AGAIN_MS = 200;

/** Resolves when every upload has its answer. */
export async function sendAll(clients: Clients, options: LoadOptions): Promise<SentUpload[]> {
  const all = Array.from({ length: options.imports }, async (_, number): Promise<SentUpload> => {
    // The first few start at once, so that faults have something to disturb.
    const begins = Math.max(0, number - options.clients) / options.imports;
    while (options.progress() < begins) await sleep(LOOKS_AGAIN_MS);
    const products = createRandom(options.seed, 'products', number).int(...options.products);
    const sent = await makePackage(options.seed, number, products);
    const upload = await clients.send(
      `client-${(number % options.clients) + 1}`,
      `${options.seed}-${number}`,
      sent,
    );
    return { upload, sent };
  });
  return Promise.all(all);
}
