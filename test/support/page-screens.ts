/** Every screen of the web page, with content on each. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { newProductId } from './product-xml.ts';
import type { Web } from './starters/page.ts';
import { report } from './upload.ts';

/** Paths from the router's source. A test cannot import the page's own modules. */
export async function screenPaths(): Promise<string[]> {
  const source = await readFile(new URL('../../page/router.tsx', import.meta.url), 'utf8');
  const [list = ''] = /SCREENS = \[[\s\S]*?\n\];/.exec(source) ?? [];
  const found = [...list.matchAll(/\bscreen\('([^']*)'/g)].map(([, path = '']) => path);
  const screens = [...list.matchAll(/\bimport\(/g)].length;
  if (found.length === 0 || found.length !== screens)
    throw new Error('The screens of router.tsx are not understood.');
  return found;
}

const FAILING = newProductId();

/** @returns a function from a screen's path to its address below the page, with existing values for its parameters */
export async function fillScreens({ stack, imports }: Web): Promise<(path: string) => string> {
  const { importId, productId, submissionId } = await imports.importOne();
  await imports.reached(submissionId, 'regulator_inserted');
  // Long names break layouts that short names do not break.
  const rejected = await imports.importOne({ productId, brand: 'Brand'.repeat(40) });
  await imports.reached(rejected.submissionId, 'regulator_inserted', 'regulator_insert_failed');
  imports.reject(FAILING);
  const failing = await imports.importOne({ productId: FAILING });
  await imports.reached(failing.submissionId, 'regulator_insert_failed');
  imports.restoreRegulator();
  const failingFile = (await report(stack, failing.importId)).submissions[0]?.xml_file;
  const comment = 'https://a-word-without-any-space.example/'.repeat(6);
  await stack.sql(`update zip_import set comment = '${comment}', file_name = '${'x'.repeat(180)}.zip'`);
  await stack.database.statistics.countDay(new Date().toISOString().slice(0, 10));
  const examples: Record<string, string> = {
    'imports/:id': `imports/${importId}`,
    'imports/:id/mend/:file': `imports/${failing.importId}/mend/${failingFile}?submission=${failing.submissionId}`,
    'products/:id': `products/${productId}`,
  };
  return (path) => {
    const example = path.includes(':') ? examples[path] : path;
    if (example === undefined) throw new Error(`Say with which parameters ${path} is to be opened.`);
    return example;
  };
}

/** Waits until nothing is loading. */
export async function ready(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  for (const text of ['Loading …', 'Checking …', 'Comparing …'])
    await page.getByText(text).first().waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => true)');
}
