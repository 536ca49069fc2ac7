/** The login and logout pages. They have no script, except for the one that submits the logout form. */
import { bodyParser } from '@koa/bodyparser';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { PEOPLE } from './people.ts';

const ROOT = '/login';
export const loginUrl = (uid: string) => `${ROOT}/${uid}`;

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f6f8fa, #0d1117); }
main { box-sizing: border-box; width: min(24rem, 100vw); padding: 2rem; border-radius: .75rem;
  background: light-dark(#fff, #161b22); border: 1px solid light-dark(#d1d9e0, #30363d); }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
label { display: block; margin-bottom: .75rem; font-weight: 600; }
input, button { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; border-radius: .375rem; }
input { border: 1px solid light-dark(#818b98, #656c76); background: light-dark(#fff, #0d1117); color: inherit; }
button { border: 0; background: #1f6feb; color: #fff; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid light-dark(#0969da, #4493f8); outline-offset: 2px; }
.error { color: light-dark(#b3261e, #ff7b72); }
.note { font-size: .875rem; color: light-dark(#59636e, #9198a1); }
.note code { font-size: 1em; }`;

/** Submits the form without a confirmation: the logout on the page is already deliberate. */
const LOG_OUT = `document.getElementById('op.logoutForm').requestSubmit(document.querySelector('button'));`;

/** @param origins other origins to which the browser may be redirected */
export function loginPages(provider: Provider, origins: readonly string[]): Middleware {
  const parse = bodyParser({ enableTypes: ['form'] });
  return async (ctx, next) => {
    if (!ctx.path.startsWith(`${ROOT}/`)) return next();
    const name = ctx.path.slice(ROOT.length + 1);
    if (name === 'style.css') {
      ctx.type = 'css';
      ctx.body = STYLE;
    } else if (name === 'log-out.js') {
      ctx.type = 'text/javascript';
      ctx.body = LOG_OUT;
    } else {
      const interaction = await provider.interactionDetails(ctx.req, ctx.res).catch(() => null);
      if (interaction === null || interaction.uid !== name)
        return showPage(
          ctx,
          origins,
          'Login expired',
          '<p>This login has expired. Go back to the page and log in again.</p>',
        );
      if (ctx.method !== 'POST') return showPage(ctx, origins, 'Log in', loginForm(false));
      await parse(ctx as never, async () => {});
      const { body } = ctx.request as { body?: Record<string, unknown> };
      const person = PEOPLE.find(
        ({ username, password }) => username === body?.username && password === body.password,
      );
      if (!person) return showPage(ctx, origins, 'Log in', loginForm(true));
      const result = { login: { accountId: person.username } };
      ctx.status = 303;
      ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
    }
  };
}

/** For `rpInitiatedLogout.logoutSource`. @param logoutForm HTML of oidc-provider */
export function showLogout(ctx: Context, logoutForm: string, origins: readonly string[]): void {
  showPage(
    ctx,
    origins,
    'Log out',
    `${logoutForm}<button form="op.logoutForm" name="logout" value="yes">Log out</button><script src="${ROOT}/log-out.js" defer></script>`,
  );
}

function loginForm(failed: boolean): string {
  const known = PEOPLE.map(
    ({ username, password, description }) =>
      `<li><code>${username}</code> / <code>${password}</code> ${description}</li>`,
  ).join('');
  return `<form method="post">
${failed ? '<p class="error" role="alert">The user name or the password is wrong.</p>' : ''}
<label>User name<input name="username" autocomplete="username" required autofocus></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>
<div class="note"><p>This identity service is for trials on this machine only. It listens on the loopback address,
and its passwords are public.</p><ul>${known}</ul></div>`;
}

function showPage(ctx: Context, origins: readonly string[], title: string, content: string): void {
  // Browsers also apply form-action to the redirects after a form.
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; img-src data:; style-src 'self'; script-src 'self'; form-action 'self' ${origins.join(' ')}; base-uri 'none'; frame-ancestors 'none'`,
  );
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="${ROOT}/style.css"><link rel="icon" href="data:,"></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`;
}
