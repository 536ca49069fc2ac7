/**
 * The web page, below `{base path}/app/`: files that were built before, for a browser that may load nothing from
 * elsewhere and talk to nobody but us and the identity service (decision §the-page-is-a-client).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFiles, type StaticFiles, sendFile } from '../../http/static-files.ts';
import type { GatewayMiddleware } from '../state.ts';
import { type PageSettings, presentSettings } from './page-settings.ts';

export interface PageDependencies {
  /** Where the built page lies; null while there is none. */
  directory(): Promise<string | null>;
  settings: PageSettings;
  /** Where tokens are fetched, if it is known and elsewhere than the issuer. */
  tokenUrl: string | null;
}

/** Vite names them by their contents. */
const HASHED = /^\/assets\/([\w.-]+)$/;
/** As long as browsers keep anything. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const NOT_BUILT =
  'The web page is not there: it is being built, or could not be; the log of the gateway says which. The API works.\n';

/** No script or style stands in the page itself, no frame holds it, nothing comes from another host. */
export function pagePolicy(identity: readonly string[]): string {
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

/** @param version of the service, which the page shows */
export function servePage(page: PageDependencies, version: string, basePath: string): GatewayMiddleware {
  const root = `${basePath}/app`;
  const { issuer } = page.settings;
  const policy = pagePolicy(page.tokenUrl === null ? [issuer] : [issuer, page.tokenUrl]);
  const load = createLoader(root);
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
    const directory = await page.directory();
    if (directory === null) {
      ctx.status = 503;
      ctx.set('Retry-After', '5');
      ctx.body = NOT_BUILT;
      return;
    }
    const { index, assets } = await load(directory);
    const [, asset] = HASHED.exec(path) ?? [];
    if (asset !== undefined) {
      if (!sendFile(ctx, assets, asset)) return next();
      ctx.set('Cache-Control', FOR_EVER);
      return;
    }
    // Every other path is one of the page's own: it opens at that screen.
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

/** Loads a built page once. It refers to its files by where the gateway serves them, which the build does not know. */
function createLoader(root: string) {
  const pages = new Map<string, BuiltPage>();
  return async (directory: string): Promise<BuiltPage> => {
    const known = pages.get(directory);
    if (known) return known;
    const built = await readFile(join(directory, 'index.html'), 'utf8');
    const text = built.replaceAll('="./', `="${root}/`);
    const tag = createHash('sha256').update(text).digest('base64url').slice(0, 27);
    const page = { index: { text, tag }, assets: await loadFiles(join(directory, 'assets')) };
    pages.set(directory, page);
    return page;
  };
}
