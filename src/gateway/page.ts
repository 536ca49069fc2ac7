/** Serves the web page, with its settings. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import type { PageSettings } from '../contract/page-settings.ts';
import { loadFiles, type StaticFiles, sendFile } from '../http/static-files.ts';
import type { GatewayMiddleware } from './route.ts';

export interface PageDependencies {
  /** Directory of the built page. Null while there is none; asked until there is one. */
  directory(): Promise<string | null>;
  settings: PageSettings;
  /** File of a package to try, for trials. Null in a real installation. */
  samplePackage: string | null;
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

/** @param tokenUrl the token endpoint, which may have another origin than the issuer; null if it is not known */
export function servePage(
  page: PageDependencies,
  basePath: string,
  tokenUrl: string | null,
): GatewayMiddleware {
  const root = `${basePath}/app`;
  const { issuer } = page.settings;
  const policy = pagePolicy(tokenUrl === null ? [issuer] : [issuer, tokenUrl]);
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
      ctx.body = page.settings;
      return;
    }
    if (path === '/sample-package.zip') {
      if (page.samplePackage === null) return next();
      ctx.type = 'zip';
      ctx.body = await readFile(page.samplePackage);
      return;
    }
    const found = await built.get();
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
  const tag = hash('sha256', text, 'base64url').slice(0, 27);
  return { index: { text, tag }, assets: await loadFiles(join(directory, 'assets')) };
}
