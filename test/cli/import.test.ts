/** The command against a whole service. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import yauzl from 'yauzl';
import { connectionTo, run, spawned } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { download } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();
const { imports } = stack;

const command = (...args: string[]) => run([...args, ...connectionTo(stack)]);

async function packageOf(products: Record<string, string>): Promise<string> {
  const path = join(await temporaryDirectory(), 'package.zip');
  const entries = Object.entries(products).map(([name, xml]) => [productPath(name), xml]);
  await writeFile(path, await zipOf(Object.fromEntries(entries)));
  return path;
}

const goodPackage = (productId = newProductId()) => packageOf({ a: productXml({ productId }) });

describe('upload', () => {
  it('shows the queue results and the command to wait', async () => {
    const productId = newProductId();
    const { code, stdout, stderr } = await command('upload', await goodPackage(productId));
    expect(stdout).toContain('Package ZIP imported and queued successfully.');
    expect(stdout).toMatch(new RegExp(`│ ${productId} +│ queued +│ 0 of 6 steps`));
    expect(stdout).toMatch(/Wait for it with: package-import status \d+ --wait\n$/);
    expect(stderr).toMatch(/^Uploading package\.zip \(\d+ bytes\) …\n/);
    expect(stderr).toContain('(100%)');
    expect(code).toBe(0);
  });

  it('with --wait shows the result of every product, file and mail', async () => {
    const [good, bad] = [newProductId(), newProductId()];
    imports.reject(bad);
    const path = await packageOf({
      a: productXml({ productId: good }),
      b: productXml({ productId: bad }),
      c: productXml({ type: '10' }),
      d: productXml({ productId: good }),
    });
    const options = ['--wait', '--email', 'someone@company.example', '--comment', 'spring range'];
    const { code, stdout, stderr } = await command('upload', path, ...options);
    expect(stdout).toMatch(new RegExp(`│ ${good} +│ inserted +│ case CASE-`));
    expect(stdout).toMatch(new RegExp(`│ ${bad} +│ failed +│ .*Rejected on request`));
    expect(stdout).toMatch(/│ c\.xml +│ failed +│ .*ProductType "10" is unknown/);
    expect(stdout).toMatch(/│ d\.xml +│ skipped +│/);
    expect(stdout).toMatch(/completed: 1 inserted, 1 failed, 1 file failed, 1 file skipped\.\n/);
    expect(stdout).toContain('Summary e-mail to someone@company.example: sent.');
    expect(stderr).toContain('partial results');
    expect(stderr).toContain('1 of 2 inserted, 1 failed\n');
    expect(code).toBe(4);
  });
});

describe('a separate process', () => {
  it('without a terminal prints lines, the result to stdout, and ends with the exit code', async () => {
    const path = await packageOf({ a: productXml(), b: productXml({ type: '10' }) });
    const { result } = spawned(['upload', path, '--wait', '--json', ...connectionTo(stack)]);
    const { code, stdout, stderr } = await result;
    expect(JSON.parse(stdout).data.zip_import.failed).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there
    expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    expect(stderr).toContain('1 of 1 inserted, 0 failed\n');
    expect(code).toBe(4);
  });

  it('that is stopped while it waits reports that the import continues', async () => {
    imports.takeRegulatorAway();
    const { child, result, stderr } = spawned([
      'upload',
      await goodPackage(),
      '--wait',
      ...connectionTo(stack),
    ]);
    await eventually(async () => stderr().includes('0 of 1 inserted'));
    child.kill('SIGINT');
    const { code, stdout } = await result;
    expect(stderr()).toMatch(
      /Stopped by SIGINT\.\nImport (\d+) continues\. Wait for it with: package-import status \1 --wait\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  });
});

describe('status', () => {
  it('of one import shows it, and waits for its end', async () => {
    imports.takeRegulatorAway();
    const { importId, productId } = await imports.importOne();
    const now = await command('status', `${importId}`);
    expect(now.stdout).toContain(`Import ${importId} inserting: 1 inserting.`);
    expect(now.code).toBe(0);
    imports.restoreRegulator();
    const later = await command('status', `${importId}`, '--wait');
    expect(later.stdout).toMatch(new RegExp(`│ ${productId} +│ inserted`));
    expect(later.code).toBe(0);
  });
});

describe('list, watch, report and audit', () => {
  it('list the latest imports', async () => {
    const { data } = JSON.parse(
      (await command('upload', await goodPackage(), '--comment', 'in the list', '--json')).stdout,
    );
    const { code, stdout } = await command('list', '--limit', '2');
    expect(stdout).toMatch(
      new RegExp(`│ ${data.id} +│ [-:\\dT]+ +│ \\w+ +│ \\d of 1 +│ +│ package\\.zip – in the list`),
    );
    expect(stdout.match(/\d of 1 /g)).toHaveLength(2);
    expect(code).toBe(0);
    const json = JSON.parse((await command('list', '--limit', '2', '--json')).stdout);
    expect(json.data.imports.map(({ id }: { id: number }) => id)).toEqual([data.id, data.id - 1]);
  });

  it('watch running imports until none is left', async () => {
    imports.takeRegulatorAway();
    const { importId } = await imports.importOne();
    const { result, stderr: said } = spawned(['watch', ...connectionTo(stack)]);
    await eventually(async () => said().includes(`Import ${importId} inserting`));
    imports.restoreRegulator();
    const { code, stdout, stderr } = await result;
    expect(stderr).toContain(`Import ${importId} inserting: 0 of 1 inserted, 0 failed`);
    expect(stdout).toContain(`Import ${importId} completed: 1 of 1 inserted, 0 failed`);
    expect(stdout).toContain('No import is running.');
    expect(code).toBe(0);
  });

  it('report an import as CSV, and list its audit events', async () => {
    const productId = newProductId();
    const path = await packageOf({ a: productXml({ productId }), '=b': productXml({ type: '10' }) });
    const { data } = JSON.parse((await command('upload', path, '--wait', '--json')).stdout);
    const { code, stdout } = await command('report', `${data.id}`);
    expect(stdout).toMatch(/^\uFEFF?import_id,submission_id,uuid,product_id,/);
    expect(stdout).toMatch(new RegExp(`\\n${data.id},\\d+,[^,]+,${productId},.*,regulator_inserted,CASE-`));
    const files = await command('report', `${data.id}`, '--files');
    expect(files.stdout).toContain(",'=b.xml,");
    const all = ['--json', '--limit', '5'];
    const ofProduct = JSON.parse((await command('product', productId, ...all)).stdout);
    expect(ofProduct.data.submissions).toMatchObject([
      { product_id: productId, status: 'regulator_inserted' },
    ]);
    expect((await command('product', productId)).stdout).toContain('regulator_inserted');
    expect((await command('product', '99999-99-99999')).code).toBe(1);
    const failed = JSON.parse(
      (await command('list', '--has-failures', '--from', '2026-01-01', ...all)).stdout,
    );
    expect(failed.data.imports.map((one: { id: number }) => one.id)).toContain(data.id);
    expect(JSON.parse((await command('list', '--to', '2020-01-01', ...all)).stdout).data.imports).toEqual([]);
    const statistics = await command('statistics', '--from', '2026-01-01', '--json');
    expect(JSON.parse(statistics.stdout).data.waiting_now).toBeInstanceOf(Array);
    expect((await command('statistics')).code).toBe(0);
    const hours = await command('statistics', '--hours');
    const hour = data.zip_file.uploaded_at.slice(0, 'yyyy-mm-ddThh'.length);
    expect(hours.stdout).toMatch(new RegExp(`│ ${hour}:00 +│ demo-client`));
    expect((await command('statistics', '--stored')).stdout).toMatch(/│ demo-client +│ \d+ +│ [\d.]+ KB/);
    expect(code).toBe(0);
    const file = join(await temporaryDirectory(), 'import.csv');
    expect(await command('report', `${data.id}`, '--output', file)).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toBe(stdout);
    const audit = await command('audit', '--import', `${data.id}`, '--limit', '1', '--json');
    expect(JSON.parse(audit.stdout).data.audit_events).toMatchObject([{ import_id: data.id }]);
    expect((await command('audit', '--import', `${data.id}`)).stdout).toContain('client:demo-client');
  });
});

describe('retry', () => {
  it('retries failed products, and waits for their end', async () => {
    const [good, bad] = [newProductId(), newProductId()];
    imports.reject(bad);
    const path = await packageOf({ a: productXml({ productId: good }), b: productXml({ productId: bad }) });
    const { data } = JSON.parse((await command('upload', path, '--wait', '--json')).stdout);
    imports.restoreRegulator();
    const retried = await command('retry', `${data.id}`, '--wait');
    expect(retried.stdout).toMatch(new RegExp(`│ ${bad} +│ queued +│ Task regulator-insert queued`));
    expect(retried.stdout).toMatch(new RegExp(`│ ${bad} +│ inserted`));
    expect(retried.code).toBe(0);
    const nothing = await command('retry', `${data.id}`, '--json');
    expect(JSON.parse(nothing.stdout)).toMatchObject({
      message: `Import ${data.id} has nothing to retry.`,
      data: { results: [] },
    });
    expect(nothing.code).toBe(0);
  });

  it('shows products with a conflicting run, and retries only the named submissions', async () => {
    imports.takeRegulatorAway();
    const productId = newProductId();
    await imports.importOne({ productId });
    const { importId, submissionId } = await imports.importOne({ productId, brand: 'Other' });
    const { code, stdout } = await command('retry', `${importId}`, '--submission', `${submissionId}`);
    expect(stdout).toMatch(new RegExp(`│ ${submissionId} +│ ${productId} +│ not queued \\(409\\)`));
    expect(stdout).toContain('0 of 1 submission queued.');
    expect(code).toBe(4);
    const wrong = await command('retry', `${importId}`, '--submission', '999999');
    expect(wrong).toEqual({ code: 2, stdout: '', stderr: `Import ${importId} has no submission 999999.\n` });
  });
});

describe('cancel', () => {
  it('ends a running import, and reports its end', async () => {
    imports.takeRegulatorAway();
    const { importId } = await imports.importOne();
    const cancelled = await command('cancel', `${importId}`, '--wait');
    expect(cancelled.stderr).toContain(`Package import ${importId} is being cancelled.`);
    expect(cancelled.stdout).toContain('The insert was cancelled with its import, by client:demo-client.');
    expect(cancelled.code).toBe(0);
    expect(JSON.parse((await command('cancel', `${importId}`, '--json')).stdout)).toMatchObject({
      message: `Package import ${importId} is cancelled.`,
      data: { status: 'cancelled' },
    });
    imports.restoreRegulator();
    expect((await command('retry', `${importId}`, '--wait')).code).toBe(0);
    const completed = await imports.importOne();
    await command('status', `${completed.importId}`, '--wait');
    const refused = await command('cancel', `${completed.importId}`);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('it is completed') });
  });
});

describe('repair-pack', () => {
  it('downloads the failed files', async () => {
    const path = await packageOf({ a: productXml(), b: productXml({ type: '10' }) });
    const { data } = JSON.parse((await command('upload', path, '--wait', '--json')).stdout);
    const file = join(await temporaryDirectory(), 'repair.zip');
    const { code, stdout } = await command('repair-pack', `${data.id}`, '--output', file);
    expect(stdout).toContain(`${file} is written (`);
    expect(code).toBe(0);
    const zip = await yauzl.openPromise(file);
    const names: string[] = [];
    for await (const { fileName } of zip.eachEntry()) names.push(fileName);
    expect(names.some((name) => name.endsWith('b.xml'))).toBe(true);
    expect(names.some((name) => name.endsWith('a.xml'))).toBe(false);
  });

  it('reports a missing repair pack, and leaves no file', async () => {
    const file = join(await temporaryDirectory(), 'repair.zip');
    const { code, stderr } = await command('repair-pack', '999999', '--output', file);
    expect(stderr).toBe(
      `Package import 999999 not found.\nMore about this error: ${stack.gatewayUrl}/api/doc/errors#not_found\n`,
    );
    expect(code).toBe(1);
  });
});

describe('package', () => {
  it('downloads the package as it was uploaded', async () => {
    const path = await packageOf({ a: productXml() });
    const { data } = JSON.parse((await command('upload', path, '--json')).stdout);
    const file = join(await temporaryDirectory(), 'package.zip');
    const { code, stdout } = await command('package', `${data.id}`, '--output', file);
    expect(stdout).toContain(`${file} is written (`);
    expect(code).toBe(0);
    expect((await readFile(file)).equals(await readFile(path))).toBe(true);
    const answer = await download(stack, `/regulator/package-imports/${data.id}/package`);
    const sha256 = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('base64');
    expect(answer.headers.get('repr-digest')).toBe(`sha-256=:${sha256}:`);
  });
});

describe('a failure', () => {
  it('of the secret names client and address', async () => {
    const { code, stdout, stderr } = await command('list', '--client-secret', 'wrong', '--json');
    expect(stderr).toMatch(/^No access token for client "demo-client": http.*\/oauth2\/token answered 401/);
    expect(stderr).toContain('PACKAGE_IMPORT_CLIENT_SECRET');
    expect(stdout + stderr).not.toContain('wrong');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'error', http_status: 401 });
    expect(code).toBe(1);
  });

  it('of the identity service names its address', async () => {
    const { code, stderr } = await run([
      'list',
      ...connectionTo(stack),
      '--token-url',
      'http://127.0.0.1:1/token',
    ]);
    expect(stderr).toContain('The identity service at http://127.0.0.1:1/token cannot be reached');
    expect(stderr).toContain('--token-url or PACKAGE_IMPORT_TOKEN_URL');
    expect(code).toBe(1);
  });
});

describe('session and token', () => {
  it('logs out, refuses uploads, logs in with a code, and uploads again', async () => {
    expect(await command('session', 'logout')).toMatchObject({ code: 0 });
    expect(await command('session', 'status')).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('No regulator session'),
    });
    expect((await command('doctor')).stdout).toMatch(/regulator session +│ no +│ .*session login/);
    const refused = await command('upload', await goodPackage());
    expect(refused.stderr).toContain('An active regulator session is required');
    expect(refused.stderr).toContain('package-import session login');
    // The client sent no part of the file.
    expect(refused.stderr).not.toContain('%');
    expect(refused.code).toBe(1);
    const login = await command('session', 'login');
    expect(login.stdout).toContain('package-import session verify <code>');
    const wrong = await command('session', 'verify', 'wrong');
    expect(wrong.code).toBe(1);
    const answer = await fetch(`${stack.config.regulator.url}/control/verification-code`);
    const { code } = (await answer.json()) as { code: string };
    expect(await command('session', 'verify', code)).toMatchObject({ code: 0 });
    expect((await command('session', 'status', '--json')).stdout).toContain('"status": "active"');
    expect((await command('doctor')).stdout).toMatch(/room and workers +│ yes/);
    expect((await command('upload', await goodPackage())).code).toBe(0);
  });

  it('prints a token that the gateway accepts', async () => {
    const { code, stdout } = await command('token');
    expect(code).toBe(0);
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect((await fetch(`${stack.gatewayUrl}/regulator/session`, { headers })).status).toBe(200);
  });

  it('gets one with the key that the embedded identity service has made', async () => {
    const keyFile = join(stack.config.dataDir, 'demo-client-key.json');
    const withKey = await command('session', 'status', '--client-id', 'demo-key', '--key-file', keyFile);
    expect(withKey).toMatchObject({ code: 0, stdout: expect.stringContaining('is active') });
  });
});
