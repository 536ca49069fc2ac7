/**
 * The command against a whole service, after an import: it retries failures, mends files, and lists messages to a
 * webhook.
 */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, createPackageImportClient } from '../../cli/client/index.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { connectionTo, run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { finished, upload } from '../support/upload.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { zipOf } from '../support/zip.ts';

const receiver = await startWebhookReceiver();
const stack = await startStack({ env: { WEBHOOK_HOSTS: receiver.host } });

describe('failures', () => {
  const failures = (...args: string[]) => run(['failures', ...args, ...connectionTo(stack)]);

  async function failing(step: 'design' | 'init_validate'): Promise<string> {
    const productId = newProductId();
    stack.imports.reject(productId, step);
    await finished(stack, (await stack.imports.importOne({ productId })).importId);
    stack.imports.restoreRegulator();
    return productId;
  }

  it('shows groups, previews a run, starts it with --yes and follows it', async () => {
    expect((await failures()).stdout).toBe('Failures: 0 products in 0 imports.\n');
    expect((await failures('stop')).stdout).toBe('No run is under way.\n');
    const design = await failing('design');
    await failing('init_validate');
    const { code, stdout } = await failures();
    expect(stdout).toMatch(
      new RegExp(`│ regulator_rejected +│ design +│ 1 +│ 1 +│ \\S+ +│ ${design} of import`),
    );
    expect(stdout).toContain('2 products in 2 imports');
    expect(code).toBe(0);
    const filter = ['--reason', 'regulator_rejected', '--step', 'design', '--submitter', '99962'];
    const preview = await failures('retry', ...filter, '--since', '2026-01-01');
    expect(preview.stdout).toMatch(
      /\n1 product in 1 import\.\nThis is a preview. To start the run, repeat the command with --yes\.\n$/,
    );
    expect((await failures('--step', 'design', '--json')).stdout).toContain('"products": 1');
    expect((await failures('--reason', 'bad_luck')).code).toBe(2);
    const retried = await failures('retry', ...filter, '--yes');
    expect(retried.stderr).toContain('Stop it with: package-import failures stop');
    expect(retried).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'The run is completed. Queued again: 1 product in 1 import.\nSee what fails again with: package-import failures\n',
      ),
    });
    expect((await failures('cancel', '--yes')).stdout).toBe('0 products in 0 imports.\n');
    expect((await failures('stop')).stdout).toBe('No run is under way. The last one has ended.\n');
    expect((await failures('--of-client', 'nobody')).stdout).toContain('0 products');
  });
});

const directory = await temporaryDirectory();

describe('mend', () => {
  const mend = (...args: string[]) => run(['mend', ...args, ...connectionTo(stack)]);

  /** A command that replaces a text in the file that it opens. */
  async function editor(from: string, to: string): Promise<string> {
    const script = join(directory, 'editor.mjs');
    const code = `import { readFileSync, writeFileSync } from 'node:fs';
  const path = process.argv[2];
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(${JSON.stringify(from)}, ${JSON.stringify(to)}));`;
    await writeFile(script, code);
    return `"${process.execPath}" "${script}"`;
  }

  let productId = '';
  let id = 0;

  beforeEach(async () => {
    productId = newProductId();
    const xml = productXml({ productId }).replaceAll('EcigProductSubmission', 'Wrong');
    ({ id } = (await upload(stack, await zipOf({ [productPath('one')]: xml }))).body.data);
    await finished(stack, id);
  });

  it('opens the only file that failed, and imports the corrected one', async () => {
    vi.stubEnv('EDITOR', await editor('Wrong', 'EcigProductSubmission'));
    const { code, stdout, stderr } = await mend(String(id), '--wait');
    expect(stderr).toMatch(/Opening .*one\.xml …/);
    expect(stdout).toContain('1 inserted.');
    expect(code).toBe(0);
    expect(stack.imports.casesOf(productId)).toHaveLength(1);
  });

  it('sends nothing of an unchanged file, nor of one that would be refused; that one is kept', async () => {
    vi.stubEnv('EDITOR', await editor('nothing', ''));
    expect(await mend(String(id))).toMatchObject({
      code: 0,
      stdout: 'one.xml was not changed. Nothing was sent.\n',
    });
    vi.stubEnv('EDITOR', await editor('Wrong', 'AlsoWrong'));
    const { code, stdout } = await mend(String(id), 'one.xml');
    expect(code).toBe(4);
    const [, path = ''] =
      /Send it with: package-import mend \d+ --from (.*) -- one\.xml$/m.exec(stdout) ?? [];
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('AlsoWrong', 'EcigProductSubmission'));
    const sent = await mend(String(id), 'one.xml', '--from', path);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining(productId) });
  });

  it('runs nothing that is in the name of a file, and prints a command that is safe to paste', async () => {
    const proof = join(directory, 'proof');
    vi.stubEnv('PROOF', proof);
    const name = '$(touch $PROOF).xml';
    const wrong = productXml({ productId }).replaceAll('EcigProductSubmission', 'Wrong');
    ({ id } = (await upload(stack, await zipOf({ [productPath(name.slice(0, -4))]: wrong }))).body.data);
    await finished(stack, id);
    vi.stubEnv('VISUAL', await editor('Wrong', 'AlsoWrong'));
    const { code, stdout, stderr } = await mend(String(id));
    await expect(stat(proof)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(stderr).toContain(`product.xml, a copy of ${name} …`);
    expect(stdout).toMatch(/ --from \S+ -- '\$\(touch \$PROOF\)\.xml'$/m);
    expect(code).toBe(4);
  });

  it('needs a file that has failed, and an editor that works', async () => {
    vi.stubEnv('VISUAL', 'false');
    const { code, stderr } = await mend(String(id));
    expect([code, stderr]).toEqual([2, expect.stringContaining('The editor "false" ended with 1.')]);
    expect(await mend(String(id), '--from', 'missing.xml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('missing.xml does not exist.'),
    });
    expect((await mend(String(id), 'other.xml')).stderr).toContain('has no failed product file "other.xml"');
    const { importId } = await stack.imports.importOne();
    await finished(stack, importId);
    expect((await mend(String(importId))).stderr).toContain(
      `No product file of import ${importId} has failed.`,
    );
  });
});

describe('webhook', () => {
  const webhook = (...args: string[]) => run(['webhook', ...args, ...connectionTo(stack)]);
  const secretIn = (text: string) => /^Secret: (whsec_\S+)$/m.exec(text)?.[1];

  it('a webhook is set, shown, rotated, disabled and deleted', async () => {
    for (const command of ['show', 'disable'])
      expect(await webhook(command)).toMatchObject({ code: 0, stdout: 'There is no webhook.\n' });

    const refused = await webhook('set', 'https://elsewhere.example/');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('operators do not allow') });

    const created = await webhook('set', receiver.url);
    const secret = secretIn(created.stdout);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining(`URL: ${receiver.url}\n`) });
    expect(secret).toBeDefined();

    expect(secretIn((await webhook('show')).stdout)).toBeUndefined();
    const rotated = await webhook('rotate-secret');
    expect(secretIn(rotated.stdout)).not.toBe(secret);
    expect(rotated.stdout).toMatch(/^The previous secret signs as well until \d{4}-/m);

    const disabled = await webhook('disable', '--json');
    expect(JSON.parse(disabled.stdout).data).toMatchObject({ url: null, secret: null });
    expect((await webhook('show')).stdout).toContain('URL: none');
    expect((await webhook('delete')).stdout).toBe('The webhook is deleted.\n');
    expect((await webhook('delete')).stdout).toBe('There was no webhook.\n');
  });

  it('its messages are listed, and sent again', async () => {
    await webhook('set', receiver.url);
    expect((await webhook('deliveries')).stdout).toBe('There are no messages.\n');
    receiver.status = 410;
    const { importId } = await stack.imports.importOne();
    const list = await eventually(async () => {
      const { stdout } = await webhook('deliveries', '--import', String(importId));
      return stdout.includes('failed') ? stdout : null;
    });
    const [, id = ''] = /│ (\d+) +│/.exec(list) ?? [];
    expect(list).toMatch(/│ package_import\.completed │ \d+ +│ failed │ 1 +│ .*answered with status 410/);
    expect((await webhook('deliveries', '--import', String(importId + 1))).stdout).toContain('no messages');
    receiver.status = 200;
    expect((await webhook('redeliver', id)).stdout).toContain('The message is being delivered.\n');
    await eventually(async () => (await webhook('deliveries')).stdout.includes('delivered'));
    expect((await webhook('redeliver', '999')).code).toBe(1);
    receiver.messages.length = 0;
    expect((await webhook('test')).stdout).toContain('The test message is being delivered.\n');
    await eventually(async () => receiver.messages.length === 1);
    expect(
      await eventually(async () => /│ webhook\.test .*│$/m.exec((await webhook('deliveries')).stdout)?.[0]),
    ).toContain('delivered');
    await webhook('delete');
  });

  it('the client library does the same', async () => {
    const client = createPackageImportClient({
      gatewayUrl: stack.gatewayUrl,
      tokenUrl: `${stack.config.auth.issuer}/oauth2/token`,
      ...DEMO_CLIENT,
    });
    expect(await client.webhook()).toMatchObject({ updated_at: null });
    await expect(client.testWebhook()).rejects.toThrow(ApiError);
    const { secret } = await client.setWebhook(receiver.url);
    expect(await client.webhook()).toMatchObject({ url: receiver.url, secret: null });
    receiver.messages.length = 0;
    const { importId } = await stack.imports.importOne();
    const delivered = await eventually(async () => {
      const { deliveries } = await client.webhookDeliveries({ import_id: importId });
      return deliveries.find(({ status }) => status === 'delivered');
    });
    const [message] = receiver.messages;
    expect(
      new Webhook(secret ?? '').verify(message?.body ?? '', message?.headers as Record<string, string>),
    ).toMatchObject({ data: { import_id: importId } });
    expect((await client.rotateWebhookSecret()).secret).not.toBe(secret);
    expect(await client.redeliverWebhook(delivered.id)).toMatchObject({ webhook_id: delivered.webhook_id });
    await eventually(async () => receiver.messages.length === 2);
    const test = await client.testWebhook();
    expect(test).toMatchObject({ event: 'webhook.test', import_id: null });
    await eventually(async () => receiver.messages.length === 3);
    expect(await client.deleteWebhook()).toBe(true);
  });
});
