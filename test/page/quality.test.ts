/**
 * Requirements of every screen of the web page, new ones included: no horizontal scrolling, accessibility,
 * small downloads. `npm run prove -- page-memory` shows that the memory of an open page does not grow.
 */
import type { Page, Response } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, launchBrowser } from '../support/browser.ts';
import { closing } from '../support/cleanup.ts';
import { fillScreens, ready, screenPaths } from '../support/page-screens.ts';
import { describePage, expectGoodAtAnyWidth, SMALL_WIDTH } from '../support/starters/page.ts';

const FIRST_LOAD_BYTES = 150 * 1024;

/** The links of the header that the window, or another element, hides at either end. */
const HIDDEN_LINKS = `[...document.querySelectorAll('header a')].filter((link) => {
  const { left, right, top, bottom } = link.getBoundingClientRect();
  return [left + 2, right - 2].some((x) => !link.contains(document.elementFromPoint(x, (top + bottom) / 2)));
}).map(({ textContent }) => textContent)`;

/** The contents of cells that are higher than their row. */
const CUT_CELLS = `[...document.querySelectorAll('.row .cell > *')]
  .filter((one) => one.offsetHeight > one.closest('.row').clientHeight).map(({ textContent }) => textContent)`;

/** Tables that scroll horizontally, and events with less than half of their line. */
const SQUEEZED = `[
  ...[...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth),
  ...[...document.querySelectorAll('li > time + span')].filter((one) => 2 * one.offsetWidth < one.parentElement.clientWidth),
].map((one) => one.ariaLabel ?? one.textContent)`;

const coloursOf = (selector: string) => `[...document.querySelectorAll('${selector}')].map(getComputedStyle)
  .map(({ color, backgroundColor, backgroundImage }) => [color, backgroundColor, backgroundImage])`;

const paths = await screenPaths();

describePage('every screen', {}, (web) => {
  let exampleOf: (path: string) => string;
  let page: Page;
  beforeAll(async () => {
    exampleOf = await fillScreens(web);
    page = await web.open();
  });

  it('is as good on the page about error codes', async () => {
    await page.goto(`${web.stack.gatewayUrl}/api/doc/errors#already_queued`);
    await expectGoodAtAnyWidth(page);
  });

  it('has every link of the header in sight', async () => {
    await page.goto(web.url);
    await ready(page);
    for (const width of [SMALL_WIDTH, 1024, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      await expect.poll(() => page.evaluate(HIDDEN_LINKS), { message: `${width} px` }).toEqual([]);
    }
  });

  it('shows links and rows whole when the font of the browser is twice as large', async () => {
    const flags = ['--blink-settings=defaultFontSize=32'];
    const browser = await closing(launchBrowser((await findBrowser()) ?? '', undefined, flags));
    const large = await web.open('', { browser });
    await large.getByRole('row').nth(1).waitFor();
    expect(await large.evaluate(HIDDEN_LINKS)).toEqual([]);
    expect(await large.evaluate(CUT_CELLS)).toEqual([]);
    await large.close();
  });

  it('keeps colours that are data in forced colours', async () => {
    for (const [path, selector] of [
      ['imports/:id', '.progress, .steps span'],
      ['statistics', '[class*="legend"] span, [class*="share"]'],
    ] as const) {
      await page.goto(web.url + exampleOf(path));
      await ready(page);
      await page.locator(selector).last().waitFor();
      const colours = () => page.evaluate(coloursOf(selector));
      const chosen = await colours();
      await page.emulateMedia({ forcedColors: 'active' });
      expect(await colours(), path).toEqual(chosen);
      await page.emulateMedia({ forcedColors: 'none' });
    }
  });

  describe.each(paths)("'%s'", (path) => {
    const scripts = new Set<string>();

    beforeAll(async () => {
      const note = (answer: Response) => {
        if (answer.request().resourceType() === 'script') scripts.add(answer.url());
      };
      page.on('response', note);
      await page.setViewportSize({ width: SMALL_WIDTH, height: 700 });
      await page.goto(web.url + exampleOf(path));
      await ready(page);
      page.off('response', note);
    });

    it('loads at most 150 KB of script', async () => {
      const sizes = await Promise.all([...scripts].map(compressedSize));
      expect(sizes.length).toBeGreaterThan(0);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
    });

    it('has room for its tables and events on a small screen', async () => {
      expect(await page.evaluate(SQUEEZED)).toEqual([]);
    });

    it('has no serious finding of axe, and does not scroll horizontally, in light and dark', async () => {
      await expectGoodAtAnyWidth(page);
    });
  });
});

/** The compressed size that a browser receives. */
async function compressedSize(url: string): Promise<number> {
  // `fetch` decompresses the body, which loses its size; the gateway sends files of known length.
  const answer = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
  const size = Number(answer.headers.get('content-length'));
  if (answer.headers.get('content-encoding') !== 'br' || !(size > 0))
    throw new Error(`${url} is not compressed.`);
  return size;
}
