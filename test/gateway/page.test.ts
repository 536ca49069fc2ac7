/** The gateway serves the web page: caching, the Content-Security-Policy, and the answers without a page. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareGateway, startBareGateway } from './support/bare-gateway.ts';

const SETTINGS = {
  issuer: 'https://iam.company.example/realms/company',
  clientId: 'page',
  scope: 'openid',
  audience: 'tool',
  permissionsClaim: null,
  temporal: { uiUrl: 'https://temporal.company.example', namespace: 'default' },
  maxUploadBytes: 1000,
};

describe('the web page', () => {
  let gateway: BareGateway;
  let directory: string;
  let built = true;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'package-import-page-'));
    await mkdir(join(directory, 'assets'));
    await writeFile(
      join(directory, 'index.html'),
      '<script type="module" src="./assets/index-1.js"></script>',
    );
    await writeFile(join(directory, 'assets', 'index-1.js'), 'export {};');
    await writeFile(join(directory, 'secret.js'), 'not an asset');
    gateway = await startBareGateway({
      basePath: '/prefix',
      change: (dependencies) => ({
        ...dependencies,
        page: {
          directory: async () => (built ? directory : null),
          settings: SETTINGS,
          tokenUrl: 'https://tokens.company.example/token',
        },
      }),
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, { headers, redirect: 'manual' });

  it('answers every address of the page with it, which refers to its files by their full paths', async () => {
    for (const path of ['/app/', '/app/imports/12', '/app/callback?code=1']) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(await answer.text()).toContain('src="/prefix/app/assets/index-1.js"');
    }
    expect((await get('/app')).headers.get('location')).toBe('/prefix/app/');
  });

  it('lets it load its own files, and talk to us and the identity service only', async () => {
    const policy = (await get('/app/')).headers.get('content-security-policy');
    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' https://iam.company.example https://tokens.company.example",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
  });

  it('says that the page has not changed', async () => {
    const etag = (await get('/app/')).headers.get('etag') ?? '';
    expect(
      (await get('/app/imports/1', { 'if-none-match': etag, 'cache-control': 'max-age=0' })).status,
    ).toBe(304);
  });

  it('has files kept for ever, since their names change with them', async () => {
    const answer = await get('/app/assets/index-1.js');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-type')).toMatch(/javascript/);
  });

  it('serves nothing but what was built to be served', async () => {
    for (const path of [
      '/app/assets/none.js',
      '/app/assets/..%2Fsecret.js',
      '/app/assets/%2e%2e/secret.js',
    ]) {
      const answer = await get(path);
      expect(await answer.text(), path).not.toContain('not an asset');
    }
    const missing = await get('/app/assets/none.js');
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('tells the page what it needs to know, without a token', async () => {
    expect(await (await get('/app/config.json')).json()).toEqual({
      version: '1.2.3',
      issuer: SETTINGS.issuer,
      client_id: 'page',
      scope: 'openid',
      audience: 'tool',
      permissions_claim: null,
      temporal: { ui_url: 'https://temporal.company.example', namespace: 'default' },
      max_upload_bytes: 1000,
    });
  });

  it('says so while there is no page, and serves it as soon as there is one', async () => {
    built = false;
    const answer = await get('/app/');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.text()).toContain('The API works.');
    built = true;
    expect((await get('/app/')).status).toBe(200);
  });
});
