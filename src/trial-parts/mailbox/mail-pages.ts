/** The pages of the embedded mailbox. */
import Router from '@koa/router';
import Koa from 'koa';
import { escapeHtml } from '../../common/text.ts';
import type { MailStore, ReceivedMail } from './mail-store.ts';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#1d2433;max-width:64rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.45rem 1rem .45rem 0;border-bottom:1px solid #dde1e8}
a{color:#1a5fb4;text-decoration:none}a:hover{text-decoration:underline}iframe{width:100%;height:70vh;border:1px solid #dde1e8}
pre{white-space:pre-wrap;background:#f5f6f8;padding:1rem}dt{font-weight:600;float:left;clear:left;width:6rem}dd{margin-left:6rem}`;

export function createMailPages(store: MailStore): Koa {
  const router = new Router();

  router.get('/', async (ctx) => {
    ctx.type = 'html';
    ctx.body = page('Mailbox', listOf(await store.list()));
  });
  router.get('/messages/:id', async (ctx) => {
    const mail = await store.find(Number(ctx.params.id));
    if (!mail) return;
    ctx.type = 'html';
    ctx.body = page(mail.subject, messageOf(mail));
  });
  router.get('/messages/:id/html', async (ctx) => {
    const mail = await store.find(Number(ctx.params.id));
    if (!mail) return;
    // A mail may hold anything, so it gets no scripts, no forms and no outside content.
    ctx.set(
      'Content-Security-Policy',
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    );
    ctx.type = 'html';
    ctx.body = mail.html || `<pre>${escapeHtml(mail.text)}</pre>`;
  });
  router.get('/messages/:id/raw', async (ctx) => {
    const raw = await store.raw(Number(ctx.params.id));
    if (!raw) return;
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = raw;
  });

  const app = new Koa();
  app.use(router.routes());
  return app;
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body>${body}</body></html>`;
}

function listOf(mails: ReceivedMail[]): string {
  if (mails.length === 0) return '<h1>Mailbox</h1><p>No mail yet.</p>';
  const rows = mails.map(
    ({ id, receivedAt, to, subject }) =>
      `<tr><td>${escapeHtml(receivedAt)}</td><td>${escapeHtml(to.join(', '))}</td><td><a href="/messages/${id}">${escapeHtml(subject || '(no subject)')}</a></td></tr>`,
  );
  return `<h1>Mailbox</h1><table><tr><th>Received</th><th>To</th><th>Subject</th></tr>${rows.join('')}</table>`;
}

function messageOf({ id, receivedAt, from, to, subject, messageId, text }: ReceivedMail): string {
  const facts: [string, string][] = [
    ['From', from],
    ['To', to.join(', ')],
    ['Received', receivedAt],
    ['Message-ID', messageId],
  ];
  const list = facts.map(([label, value]) => `<dt>${label}</dt><dd>${escapeHtml(value)}</dd>`).join('');
  return `<p><a href="/">← Mailbox</a></p><h1>${escapeHtml(subject)}</h1><dl>${list}</dl>
<iframe title="HTML part" sandbox src="/messages/${id}/html"></iframe>
<h2>Text part</h2><pre>${escapeHtml(text)}</pre><p><a href="/messages/${id}/raw">Source</a></p>`;
}
