/** Serves Swagger UI for the API description, with all of its files from this service. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Middleware } from 'koa';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import { loadFiles, sendFile } from './static-files.ts';

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const directory = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/**
 * Allows what Swagger UI needs: its script and style, inline styles, data URLs, and calls to this host and `tokenUrl`.
 */
function contentSecurityPolicy(tokenUrl: string | null): string {
  const connect = tokenUrl === null ? "'self'" : `'self' ${sourceOf(tokenUrl)}`;
  return `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src ${connect}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
}

/** A URL as a source of the policy: without query, and with `;` and `,` percent-encoded (CSP3 §2.3.1). */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
}

/**
 * Serves `/api/doc` and `/api/doc.json` below `basePath`.
 *
 * @param description the OpenAPI document
 * @param tokenUrl the token endpoint that the page may call; null for none
 */
export function apiDocs(
  description: object,
  title: string,
  { basePath = '', tokenUrl = null }: { basePath?: string; tokenUrl?: string | null } = {},
): Middleware {
  const root = `${basePath}/api/doc`;
  const policy = contentSecurityPolicy(tokenUrl);
  const json = Buffer.from(JSON.stringify(description));
  const assets = createSingleFlightCache(
    () => loadFiles(directory, ASSETS),
    () => Number.POSITIVE_INFINITY,
  );
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === `${root}.json`) {
      ctx.type = 'json';
      ctx.body = json;
      return;
    }
    if (ctx.path !== root && !ctx.path.startsWith(`${root}/`)) return next();
    ctx.set('Content-Security-Policy', policy);
    if (ctx.path === root || ctx.path === `${root}/`) {
      ctx.type = 'html';
      ctx.body = page(title, root);
      return;
    }
    const name = ctx.path.slice(root.length + 1);
    if (name === 'initializer.js') {
      ctx.type = 'text/javascript; charset=utf-8';
      ctx.body = `SwaggerUIBundle({ url: ${JSON.stringify(`${root}.json`)}, dom_id: '#doc', deepLinking: true, validatorUrl: null });\n`;
    } else if (sendFile(ctx, await assets.get(), name)) ctx.set('Cache-Control', 'public, max-age=86400');
    else await next();
  };
}

function page(title: string, root: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="${root}/swagger-ui.css"><link rel="icon" href="${root}/favicon-32x32.png"></head>
<body><div id="doc"></div><script src="${root}/swagger-ui-bundle.js"></script><script src="${root}/initializer.js"></script></body></html>
`;
}
