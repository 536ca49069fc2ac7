/**
 * What holds for every screen of the web page, new ones included: nothing scrolls sideways, nobody is shut out, little
 * has to be loaded, and a page that is left open does not grow.
 */
import { readFile } from 'node:fs/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OPERATOR } from '../../src/local/identity-service/people.ts';
import { ensurePage } from '../../src/processes/page.ts';
import { findBrowser } from '../support/browser.ts';
import { importsOf } from '../support/imports.ts';
import { launchPageBrowser, logInAs, newPage, seriousFindings } from '../support/page-browser.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';

/** 320 px is a small telephone, or a laptop's window at 400 %; 3840 px is 4K. */
const WIDTHS = [320, 1400, 3840];
const FIRST_LOAD_BYTES = 150 * 1024;

/**
 * How far the clock goes at once, and how often for an hour. Screens ask every two seconds or less often. Shorter than what
 * the login waits for an answer: a request that begins between two steps takes no time by this clock.
 */
const STEP_MS = 9_000;
const STEPS_OF_AN_HOUR = 400;
const WARM_UP_STEPS = 60;
/**
 * What may stay of an hour. The clock of the test itself keeps 160 kB, the browser a list of its last requests; one kept
 * answer of each poll, of the shortest list, is 500 kB more.
 */
const GROWTH_BYTES = 400_000;

/** After the next drawing: what follows the size of the window has done so. */
const MEASURED_WIDTHS = `new Promise((done) =>
  requestAnimationFrame(() =>
    requestAnimationFrame(() =>
      done([document.documentElement.scrollWidth, document.documentElement.clientWidth]),
    ),
  ),
)`;

const paths = await screenPaths();
const executable = await findBrowser();

/** As the router registers them; the page's own modules are none that a test may import. */
async function screenPaths(): Promise<string[]> {
  const source = await readFile(new URL('../../src/app/router.tsx', import.meta.url), 'utf8');
  const [list = ''] = /SCREENS[^=]*= \[[\s\S]*?\n\];/.exec(source) ?? [];
  const found = [...list.matchAll(/\bpath: '([^']*)'/g)].map(([, path = '']) => path);
  const screens = [...list.matchAll(/\bcomponent:/g)].length;
  if (found.length === 0 || found.length !== screens)
    throw new Error('The screens of router.tsx are not understood.');
  return found;
}

describe.skipIf(executable === null)('every screen (needs Chromium or Chrome on the PATH)', () => {
  let stack: TestStack;
  let browser: Browser;
  let url: string;
  const examples: Record<string, string> = {};

  beforeAll(async () => {
    stack = await startTestStack();
    await ensurePage(stack.config.cacheDir, () => {});
    url = `${stack.gatewayUrl}/app/`;
    browser = await launchPageBrowser(executable ?? '');
    const imports = importsOf(stack);
    const { importId, productId, submissionId } = await imports.importOne();
    await imports.reached(submissionId, 'regulator_inserted');
    // Long names break layouts, where short ones do not.
    const rejected = await imports.importOne({ productId, brand: 'Brand'.repeat(40) });
    await imports.reached(rejected.submissionId, 'regulator_inserted', 'regulator_insert_failed');
    const comment = 'https://a-word-without-any-space.example/'.repeat(6);
    await stack.sql(`update zip_import set comment = '${comment}', file_name = '${'x'.repeat(180)}.zip'`);
    await stack.database.statistics.countDay(new Date().toISOString().slice(0, 10));
    Object.assign(examples, {
      'imports/:id': `imports/${importId}`,
      'products/:id': `products/${productId}`,
    });
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  /** With something to see for each of its parameters. */
  function addressOf(path: string): string {
    const example = path.includes(':') ? examples[path] : path;
    if (example === undefined) throw new Error(`Say with which parameters ${path} is to be opened.`);
    return url + example;
  }

  /** Until nothing is loaded any more. */
  async function ready(page: Page): Promise<void> {
    await page.locator('main h1').waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    await page.evaluate('document.fonts.ready.then(() => true)');
  }

  describe.each(paths)("'%s'", (path) => {
    it('shuts nobody out, and does not scroll sideways, in light and dark', async () => {
      const { page, complaints } = await newPage(browser);
      await logInAs(page, OPERATOR, addressOf(path));
      await ready(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const [content, room] = (await page.evaluate(MEASURED_WIDTHS)) as [number, number];
        expect([width, content]).toEqual([width, room]);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await seriousFindings(page), `${width} px, ${colorScheme}`).toEqual([]);
        }
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it('loads no more script than a slow line brings in a second or two', async () => {
      const { page } = await newPage(browser);
      await logInAs(page, OPERATOR, url);
      await ready(page);
      const scripts = new Set<string>();
      page.on('response', (answer) => {
        if (answer.request().resourceType() === 'script') scripts.add(answer.url());
      });
      await page.goto(addressOf(path));
      await ready(page);
      const sizes = await Promise.all([...scripts].map(compressedSize));
      expect(sizes.length).toBeGreaterThan(0);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
      await page.context().close();
    });
  });

  describe('left open for an hour', () => {
    let page: Page;
    let session: CDPSession;
    let underWay: number;
    let asked: number;

    beforeEach(async () => {
      ({ page } = await newPage(browser, { viewport: { width: 1400, height: 900 } }));
      session = await page.context().newCDPSession(page);
      underWay = 0;
      asked = 0;
      page.on('request', () => {
        underWay += 1;
      });
      page.on('requestfinished', () => {
        underWay -= 1;
      });
      page.on('requestfailed', () => {
        underWay -= 1;
      });
      await page.clock.install();
      return () => page.context().close();
    });

    async function open(path: string): Promise<void> {
      await logInAs(page, OPERATOR, addressOf(path));
      await ready(page);
      // Every poll brings an answer that is drawn: one that has not changed could hide what grows.
      await page.route(/\/regulator\//, async (route) => {
        const headers = { ...route.request().headers() };
        delete headers['if-none-match'];
        asked += 1;
        await route.continue({ headers });
      });
    }

    async function polls(steps: number): Promise<void> {
      for (let step = 0; step < steps; step += 1) {
        await page.clock.runFor(STEP_MS);
        // The answers come in real time.
        do
          await page.evaluate(
            'new Promise((done) => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); })',
          );
        while (underWay > 0);
      }
    }

    /** Bytes that the scripts of the page hold, after everything that can go has gone. */
    async function heap(): Promise<number> {
      await session.send('HeapProfiler.collectGarbage');
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      return usedSize;
    }

    async function growth(steps: number): Promise<number> {
      await polls(WARM_UP_STEPS);
      const before = await heap();
      await polls(steps);
      return (await heap()) - before;
    }

    it.each(paths)("'%s' does not grow", async (path) => {
      await open(path);
      expect(await growth(STEPS_OF_AN_HOUR)).toBeLessThan(GROWTH_BYTES);
      expect(await page.getByText('Your login has ended').count()).toBe(0);
    });

    it('would be seen to grow', async () => {
      await open('');
      await page.evaluate(`(() => {
        const kept = (window.kept = []);
        const { fetch } = window;
        window.fetch = async (...call) => {
          const answer = await fetch(...call);
          kept.push(await answer.clone().json());
          return answer;
        };
      })()`);
      expect(await growth(STEPS_OF_AN_HOUR)).toBeGreaterThan(GROWTH_BYTES);
      expect(asked).toBeGreaterThan(STEPS_OF_AN_HOUR);
    });
  });
});

/** As a browser gets it. */
async function compressedSize(url: string): Promise<number> {
  // What `fetch` has unpacked has lost its size; the gateway sends files of known length.
  const answer = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
  const size = Number(answer.headers.get('content-length'));
  if (answer.headers.get('content-encoding') !== 'br' || !(size > 0))
    throw new Error(`${url} is not compressed.`);
  return size;
}
