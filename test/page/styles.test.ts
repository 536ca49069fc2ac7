/**
 * Styles of a screen stay loaded when another screen is opened. A screen must look the same whichever screens were
 * opened before it: all screens are opened in two orders, and their pictures compared.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { OPERATOR } from '../../src/trial-parts/identity-service/people.ts';
import { logInAs } from '../support/page-browser.ts';
import { fillScreens, ready, screenPaths } from '../support/page-screens.ts';
import { describePage, type Web } from '../support/starters/page.ts';

/** Parts of a screen that are opened by a button, and have styles of their own. */
const BUTTONS: Readonly<Record<string, string>> = { 'products/:id': 'Whole file' };

/** Shades of 256 per colour. */
const VISIBLE_SHADES = 48;

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

describePage('the styles of a screen', {}, (web) => {
  it('are the same whichever screens were opened before', async () => {
    const paths = await screenPaths();
    const exampleOf = await fillScreens(web);
    const now = new Date();
    const answers = new Map<string, Promise<Answer>>();
    const forth = await walk(web, paths, exampleOf, { now, answers });
    const back = await walk(web, [...paths].reverse(), exampleOf, { now, answers });
    const different: string[] = [];
    const blank = await web.newPage();
    for (const path of paths)
      if (!(await looksAlike(blank, forth.get(path), back.get(path)))) different.push(path);
    const directory = different.length > 0 ? await keepPictures({ forth, back }, different) : '';
    expect(different, `pictures in ${directory}`).toEqual([]);
    expect(forth.size).toBe(paths.length);
  });
});

/** Opens the screens without loading the page again. @returns the picture of each */
async function walk(
  web: Web,
  paths: readonly string[],
  exampleOf: (path: string) => string,
  { now, answers }: { now: Date; answers: Map<string, Promise<Answer>> },
): Promise<Map<string, Buffer>> {
  const page = await web.newPage();
  await page.clock.setFixedTime(now);
  await page.route('**/regulator/**', (route) => answerOnce(route, answers));
  const pictures = new Map<string, Buffer>();
  await logInAs(page, OPERATOR, web.url + exampleOf(paths[0] ?? ''));
  for (const path of paths) {
    await follow(page, `/app/${exampleOf(path)}`);
    await ready(page);
    const button = BUTTONS[path];
    if (button !== undefined) await page.getByRole('button', { name: button }).first().click();
    pictures.set(path, await pictureAtRest(page));
  }
  return pictures;
}

/** Navigates as a click on a link of the page does. */
async function follow(page: Page, href: string): Promise<void> {
  await page.evaluate(`{
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(href)} });
    document.body.append(link);
    link.click();
    link.remove();
  }`);
  await page.waitForURL((url) => url.pathname + url.search === href);
}

/** Both walks see the same data: each address is asked once. */
async function answerOnce(route: Route, answers: Map<string, Promise<Answer>>): Promise<void> {
  const request = route.request();
  const key = `${request.method()} ${request.url()}`;
  const known = answers.get(key) ?? ask(route);
  answers.set(key, known);
  await route.fulfill(await known).catch(() => {
    // The page no longer waits for it: another screen was opened.
  });
}

async function ask(route: Route): Promise<Answer> {
  const { 'if-none-match': _, ...headers } = route.request().headers();
  const answer = await route.fetch({ headers });
  return { status: answer.status(), headers: answer.headers(), body: await answer.body() };
}

/** The whole screen, once nothing is loading and two pictures in a row are the same. */
async function pictureAtRest(page: Page): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  await expect
    .poll(
      async () => {
        if ((await page.getByText('Loading …').count()) > 0) return false;
        const before = last;
        last = await page.screenshot({ fullPage: true, animations: 'disabled' });
        return last.equals(before);
      },
      { interval: 300, timeout: 20_000 },
    )
    .toBe(true);
  return last;
}

/** By the pixels that a person could tell apart: two drawings of the same differ in a few shades. */
async function looksAlike(blank: Page, one: Buffer | undefined, other: Buffer | undefined): Promise<boolean> {
  if (one && other?.equals(one)) return true;
  const urls = [one, other].map((png) => `data:image/png;base64,${png?.toString('base64')}`);
  return blank.evaluate<boolean>(`(async () => {
    const pixels = async (url) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    };
    const [a, b] = await Promise.all(${JSON.stringify(urls)}.map(pixels));
    if (a.width !== b.width || a.height !== b.height) return false;
    return a.data.every((value, index) => Math.abs(value - b.data[index]) < ${VISIBLE_SHADES});
  })()`);
}

async function keepPictures(
  walks: Record<string, Map<string, Buffer>>,
  paths: readonly string[],
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-pictures-'));
  for (const [name, pictures] of Object.entries(walks))
    for (const path of paths)
      await writeFile(join(directory, `${path.replace(/\W+/g, '-')}.${name}.png`), pictures.get(path) ?? '');
  return directory;
}
