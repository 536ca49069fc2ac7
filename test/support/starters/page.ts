/**
 * Tests in which people use the web page. `describePage` starts the servers and the browser, and fails a test if the
 * browser reports errors.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { ensurePage } from '../../../src/processes/gateway/page.ts';
import { OPERATOR, type Person } from '../../../src/trial-parts/identity-service/people.ts';
import { findBrowser, launchBrowser } from '../browser.ts';
import { atEnd, closing } from '../cleanup.ts';
import { logInAs, newPage, seriousFindings } from '../page-browser.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';

export interface Profile extends BrowserContextOptions {
  /** Complaints that the test provokes: a browser reports every error answer. By default there are none. */
  provokes?: RegExp;
  /** The default is the browser that all tests of the file share. */
  browser?: Browser;
}

export interface Visit extends Profile {
  /** The person who logs in; by default the operator. */
  person?: Person;
}

export interface Web {
  stack: Stack;
  imports: Stack['imports'];
  /** URL of the page, with a slash at its end. */
  url: string;
  /** Opens a page in a new profile without a login. The profile ends with the test. */
  newPage(profile?: Profile): Promise<Page>;
  /** Opens a screen as a person who is logged in. */
  open(path?: string, visit?: Visit): Promise<Page>;
  /** Another browser, whose connections to the gateway go through this port, under the same address. */
  launchBrowserThrough(port: number): Promise<Browser>;
}

const executable = await findBrowser();

/**
 * Tests of the page, with their own stack and browser. They are skipped if no browser is installed.
 *
 * @param options options of the stack, or a function that prepares them
 * @param tests registers hooks and tests, which use `web`; `web` is empty until they run
 */
export function describePage(
  title: string,
  options: StackOptions | (() => Promise<StackOptions>),
  tests: (web: Web) => void,
): void {
  describe.skipIf(executable === null)(`${title} (needs Chromium or Chrome on the PATH)`, () => {
    const web = {} as Web;
    let shared: Browser;
    /** Sessions with the identity service: after the first visit of a person, it asks for no password. */
    const sessions = new Map<Person, BrowserContextOptions>();

    beforeAll(async () => {
      const stack = await startStack(typeof options === 'function' ? await options() : options);
      Object.assign(web, { stack, imports: stack.imports, url: `${stack.gatewayUrl}/app/` });
      await ensurePage(stack.config.cacheDir, () => {});
      shared = await closing(launchBrowser(executable ?? ''));
    });

    web.newPage = async ({ provokes, browser = shared, ...profile } = {}) => {
      const { page, complaints } = await newPage(browser, profile);
      atEnd(async () => {
        await page.context().close();
        expect(complaints.filter((complaint) => !provokes?.test(complaint))).toEqual([]);
      });
      return page;
    };
    web.open = async (path = '', { person = OPERATOR, ...profile } = {}) => {
      const page = await web.newPage({ ...sessions.get(person), ...profile });
      await logInAs(page, person, web.url + path);
      sessions.set(person, { storageState: await page.context().storageState() });
      return page;
    };
    web.launchBrowserThrough = (through) =>
      closing(launchBrowser(executable ?? '', { port: web.stack.config.gateway.port, through }));
    tests(web);
  });
}

/** After the next drawing: what follows the size of the window has done so. */
const MEASURED_WIDTHS = `new Promise((done) =>
  requestAnimationFrame(() =>
    requestAnimationFrame(() =>
      done([document.documentElement.scrollWidth, document.documentElement.clientWidth]),
    ),
  ),
)`;

/** A small telephone, or a laptop's window at 400 %. */
export const SMALL_WIDTH = 320;
/** 4K: only the font is larger than at 1400 px, and the rows are longer. */
const LARGE_WIDTH = 3840;

/** The current page does not scroll horizontally, and has no serious finding of axe, in light and dark. */
export async function expectGoodAtAnyWidth(page: Page): Promise<void> {
  for (const width of [LARGE_WIDTH, SMALL_WIDTH, 1400]) {
    await page.setViewportSize({ width, height: 900 });
    const [content, room] = (await page.evaluate(MEASURED_WIDTHS)) as [number, number];
    expect([width, content]).toEqual([width, room]);
    if (width === LARGE_WIDTH) continue;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page, colorScheme), `${width} px, ${colorScheme}`).toEqual([]);
    }
  }
}
