/** The gateway serves the web page: caching, the Content-Security-Policy, and the answers without a page. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PageSettings } from '../../src/contract/page-settings.ts';
import { type Gateway, startGateway } from '../support/starters/gateway.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const SAMPLE = 'examples/package.zip';

const SETTINGS: PageSettings = {
  version: '1.2.3',
  issuer: 'https://iam.company.example/realms/company',
  client_id: 'page',
  scope: 'openid',
  audience: 'tool',
  permissions_claim: null,
  temporal: { ui_url: 'https://temporal.company.example', namespace: 'default' },
  max_upload_bytes: 1000,
  trial: null,
};

describe('the web page', () => {
  let gateway: Gateway;
  let directory: string;
  const start = (find: () => Promise<string | null>, samplePackage: string | null = null) =>
    startGateway({
      basePath: '/prefix',
      change: () => ({
        tokenUrl: 'https://tokens.company.example/token',
        page: { directory: find, settings: SETTINGS, samplePackage },
      }),
    });
  beforeAll(async () => {
    directory = await temporaryDirectory();
    await mkdir(join(directory, 'assets'));
    await writeFile(
      join(directory, 'index.html'),
      '<script type="module" src="./assets/index-1.js"></script>',
    );
    await writeFile(join(directory, 'assets', 'index-1.js'), 'export {};');
    await writeFile(join(directory, 'secret.js'), 'not an asset');
    gateway = await start(async () => directory);
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, { headers, redirect: 'manual' });

  it('is served at every address of its screens, with full paths of its files', async () => {
    for (const path of ['/app/', '/app/imports/12', '/app/callback?code=1']) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(await answer.text()).toContain('src="/prefix/app/assets/index-1.js"');
    }
    expect((await get('/app')).headers.get('location')).toBe('/prefix/app/');
  });

  it('may load only its own files, and connect to gateway and identity service', async () => {
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

  it('is answered with 304 when it has not changed', async () => {
    const etag = (await get('/app/')).headers.get('etag') ?? '';
    expect(
      (await get('/app/imports/1', { 'if-none-match': etag, 'cache-control': 'max-age=0' })).status,
    ).toBe(304);
  });

  it('has files that browsers cache for a year, because their names change with their content', async () => {
    const answer = await get('/app/assets/index-1.js');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-type')).toMatch(/javascript/);
  });

  it('serves built files only', async () => {
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

  it('gets its settings without a token', async () => {
    expect(await (await get('/app/config.json')).json()).toEqual(SETTINGS);
  });

  it('has the sample package only where the trial parts run', async () => {
    expect((await get('/app/sample-package.zip')).status).toBe(404);
    const { url } = await start(async () => directory, SAMPLE);
    const sample = await fetch(`${url}/app/sample-package.zip`);
    expect(sample.headers.get('content-type')).toBe('application/zip');
    expect(Buffer.from(await sample.arrayBuffer())).toEqual(await readFile(SAMPLE));
  });

  it('is reported as missing, and served as soon as it is built', async () => {
    let built = false;
    const { url } = await start(async () => (built ? directory : null));
    const answer = await fetch(`${url}/app/`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.text()).toContain('The API works.');
    built = true;
    expect((await fetch(`${url}/app/`)).status).toBe(200);
  });
});
