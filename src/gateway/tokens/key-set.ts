/** Fetches the identity service's key set, with limits on time and size, and checks its form. */
import { z } from 'zod';

/** The URL of the key set, or the issuer whose metadata contains that URL. */
export type KeySource = { jwksUrl: string } | { issuer: string };

/** Far above any real key set or metadata. */
const MAX_BYTES = 1024 * 1024;

const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });
const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** @param timeoutMs for all requests together */
export async function fetchKeySet(source: KeySource, timeoutMs: number): Promise<z.infer<typeof keySet>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const url = 'jwksUrl' in source ? source.jwksUrl : await discover(source.issuer, signal);
  return parsed(keySet, url, await getJson(url, signal));
}

/** OpenID Connect Discovery §4. The metadata must name the same issuer (§4.3). */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const found = parsed(metadata, url, await getJson(url, signal));
  if (found.issuer !== issuer) {
    throw new Error(`${url} names the issuer "${found.issuer}" instead of "${issuer}" (AUTH_ISSUER)`);
  }
  if (issuer.startsWith('https:') && !found.jwks_uri.startsWith('https:')) {
    throw new Error(`${url} names keys at "${found.jwks_uri}", which must be https like the issuer`);
  }
  return found.jwks_uri;
}

async function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Error(
      `${url} answered with a redirect, which is not followed: configure the target of the redirect`,
    );
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new Error(`${url} did not answer with JSON`, { cause: error });
  }
}

function parsed<T>(schema: z.ZodType<T>, url: string, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`${url} answered with an unexpected document`, { cause: result.error });
}
