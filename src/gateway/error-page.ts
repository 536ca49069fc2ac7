/** The page about error codes, to which `data.doc_url` of every error leads. It needs no login and no script. */
import { hash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import { escapeHtml, withoutSlash } from '../common/text.ts';
import { aboutError, ERROR_CODES, ERROR_PAGE, type ErrorCode } from '../contract/error-codes.ts';
import { REPEATS } from '../contract/error-texts.ts';
import type { DocUrls } from '../http/refused-connections.ts';
import { type StaticFiles, sendFile } from '../http/static-files.ts';
import type { GatewayDependencies } from './dependencies.ts';
import type { GatewayMiddleware } from './route.ts';

export type Addresses = Pick<GatewayDependencies, 'basePath' | 'publicUrl'>;

/** The start of URLs in answers: the public URL without a slash at its end, else the base path. */
export function linkBase({ basePath, publicUrl }: Addresses): string {
  return publicUrl === null ? basePath : withoutSlash(publicUrl);
}

/** URL of the page about a code. */
export function docUrls(addresses: Addresses): DocUrls {
  const page = linkBase(addresses) + ERROR_PAGE;
  return (code) => `${page}#${code}`;
}

export function serveErrorPage(addresses: Addresses): GatewayMiddleware {
  const html = Buffer.from(render(addresses));
  const files: StaticFiles = new Map([
    ['errors.html', html],
    ['errors.html.gz', gzipSync(html)],
  ]);
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return async (ctx, next) => {
    const isAsked = ctx.path === addresses.basePath + ERROR_PAGE;
    if (!isAsked || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Cache-Control', 'public, max-age=86400');
    sendFile(ctx, files, 'errors.html');
  };
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
body { box-sizing: border-box; max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
a { color: light-dark(#0757c2, #58a6ff); }
h1, h2 { line-height: 1.3; }
h2 { font-size: 1.125rem; margin: 0 0 .5rem; }
h2 a { text-decoration: none; }
section { padding: 1rem; border-top: 1px solid light-dark(#d1d9e0, #30363d); }
section:target { background: light-dark(#ddf4ff, #121d2f); border-radius: .375rem; }
dl { margin: 0; }
dt { font-weight: 600; margin-top: .5rem; }
dd { margin: 0; }
code, pre { font: .875em ui-monospace, Menlo, Consolas, monospace; }
pre { white-space: pre-wrap; margin: .25rem 0 0; padding: .75rem; border-radius: .375rem; background: light-dark(#eef1f4, #1c232d); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-bottom: 1rem; }
:focus-visible { outline: 2px solid light-dark(#0757c2, #58a6ff); outline-offset: 2px; }`;

function render(addresses: Addresses): string {
  const urlOf = docUrls(addresses);
  const links = ERROR_CODES.map((code) => `<a href="#${code}"><code>${code}</code></a>`).join('\n');
  const sections = ERROR_CODES.map((code) => sectionOf(code, urlOf(code))).join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes · Package import API</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main><h1>Error codes</h1>
<p>Every error answer has one of these words in <code>data.code</code>. Programs distinguish errors by the code, people read
<code>message</code>. Handle an unknown code by its HTTP status. The <a href="${addresses.basePath}/api/doc">description of the
API</a> says which route answers with which status.</p>
<nav aria-label="Codes">
${links}
</nav>
${sections}
</main></body></html>
`;
}

function sectionOf(code: ErrorCode, url: string): string {
  const { status, meaning, action, repeat, message, data } = aboutError(code);
  const answer = { status: 'error', message, data: { code, doc_url: url, ...data } };
  return `<section id="${code}" aria-labelledby="${code}-title"><h2 id="${code}-title"><a href="#${code}"><code>${code}</code></a></h2>
<p>${sentences(meaning)}</p>
<dl><dt>What to do</dt><dd>${sentences(action)}</dd>
<dt>May the request be repeated?</dt><dd>${sentences(REPEATS[repeat])}</dd>
<dt>Example: HTTP ${status} ${STATUS_CODES[status]}</dt>
<dd><pre>${escapeHtml(JSON.stringify(answer, null, 2))}</pre></dd></dl></section>`;
}

/** Text between backticks becomes code. */
function sentences(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
