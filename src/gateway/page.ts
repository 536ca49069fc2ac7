import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import { loadFiles, type StaticFiles, sendFile } from '../http/static-files.ts';
import type { GatewayMiddleware } from './route.ts';

export interface PageDependencies {
  /** Directory of the built page. Null while there is none; asked until there is one. */
  directory(): Promise<string | null>;
  settings: PageSettings;
  /** The token endpoint, if it is known and has another origin than the issuer. */
  tokenUrl: string | null;
}

/** Vite puts a hash of the content into each name. */
const HASHED = /^\/assets\/([\w.-]+)$/;
/** A year, in seconds. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const NOT_BUILT =
  'The web page is not available: it is still being built, or the build failed. See the log of the gateway. The API works.\n';

/** Content security policy: no inline script or style, no framing, no content from other hosts. */
function pagePolicy(identity: readonly string[]): string {
  const origins = [...new Set(identity.map((url) => new URL(url).origin))].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${origins}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** @param version of the service, shown by the page */
export function servePage(page: PageDependencies, version: string, basePath: string): GatewayMiddleware {
  const root = `${basePath}/app`;
  const { issuer } = page.settings;
  const policy = pagePolicy(page.tokenUrl === null ? [issuer] : [issuer, page.tokenUrl]);
  const built = createSingleFlightCache(
    async () => {
      const directory = await page.directory();
      return directory === null ? null : loadPage(directory, root);
    },
    (found) => (found === null ? 0 : Number.POSITIVE_INFINITY),
  );
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === root) return ctx.redirect(`${root}/`);
    if (!ctx.path.startsWith(`${root}/`)) return next();
    const path = ctx.path.slice(root.length);
    if (path === '/config.json') {
      ctx.set('Cache-Control', 'no-cache');
      ctx.body = presentSettings(page.settings, version);
      return;
    }
    if (path === '/sample-package.zip') {
      const { trial } = page.settings;
      if (trial === null) return next();
      ctx.type = 'zip';
      ctx.body = await readFile(trial.samplePackage);
      return;
    }
    const found = await built.ask();
    if (found === null) {
      ctx.status = 503;
      ctx.set('Retry-After', '5');
      ctx.body = NOT_BUILT;
      return;
    }
    const { index, assets } = found;
    const [, asset] = HASHED.exec(path) ?? [];
    if (asset !== undefined) {
      if (!sendFile(ctx, assets, asset)) return next();
      ctx.set('Cache-Control', FOR_EVER);
      return;
    }
    // Every other path is a screen of the page, which its own router opens.
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Cache-Control', 'no-cache');
    ctx.status = 200;
    ctx.type = 'html';
    ctx.etag = index.tag;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = index.text;
  };
}

interface BuiltPage {
  index: { text: string; tag: string };
  assets: StaticFiles;
}

/** Makes relative URLs absolute: the build does not know the base path. */
async function loadPage(directory: string, root: string): Promise<BuiltPage> {
  const built = await readFile(join(directory, 'index.html'), 'utf8');
  const text = built.replaceAll('="./', `="${root}/`);
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 27);
  return { index: { text, tag }, assets: await loadFiles(join(directory, 'assets')) };
}

/** Settings of the web page, served as `config.json`. They are public and hold no secrets. */

export interface PageSettings {
  /** Issuer of access tokens, at which people log in. */
  issuer: string;
  /** The page's OAuth public client at the identity service. */
  clientId: string;
  /** Scopes requested at login, separated by blanks. */
  scope: string;
  /** Audience that access tokens must have. */
  audience: string;
  /** Claim with the permissions. Null for `permissions`, else `scope` (decision §access-tokens-only). */
  permissionsClaim: string | null;
  /** Temporal's Web UI. Null if it is not known. */
  temporal: { uiUrl: string; namespace: string } | null;
  maxUploadBytes: number;
  /** Only where `npm start` runs its own identity service and regulator. Null in a real installation. */
  trial: { tokenUrl: string; mailboxUrl: string | null; samplePackage: string } | null;
}

/** The content of `config.json`. */
function presentSettings(settings: PageSettings, version: string) {
  const { issuer, clientId, scope, audience, permissionsClaim, temporal, maxUploadBytes, trial } = settings;
  return {
    version,
    issuer,
    client_id: clientId,
    scope,
    audience,
    permissions_claim: permissionsClaim,
    temporal: temporal && { ui_url: temporal.uiUrl, namespace: temporal.namespace },
    max_upload_bytes: maxUploadBytes,
    trial: trial && { token_url: trial.tokenUrl, mailbox_url: trial.mailboxUrl },
  };
}
