/** `mend`: an editor opens the file that failed; the corrected file is checked and imported. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { connectionTo, run } from '../support/command.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();
const directory = await temporaryDirectory();
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
  const [, path = ''] = /Send it with: package-import mend \d+ --from (.*) -- one\.xml$/m.exec(stdout) ?? [];
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
