/** The web page in a headless browser, as a person sees it; what the browser complains about fails the test. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Person } from '../../src/local/identity-service/people.ts';

/** Put in by the debugger: the policy of the page has no say in it. */
const AXE = axe.source;

export interface OpenedPage {
  page: Page;
  /** Errors of scripts, what the Content-Security-Policy forbade, addresses on other hosts. */
  complaints: string[];
}

/** A laptop's window. */
const VIEWPORT = { width: 1400, height: 900 };
const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));

/** In a profile of its own: nobody is logged in. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({
    ...{ locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: VIEWPORT },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') complaints.push(request.url());
  });
  return { page, complaints };
}

/** What axe-core finds serious or critical on the page as it is, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // A colour on its way to another is nobody's choice. What turns for ever does not change its own.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  )`);
  await page.evaluate(AXE);
  const result = (await page.evaluate('axe.run()')) as AxeResults;
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Opens an address of the page and logs in with the embedded identity service. */
export async function logInAs(page: Page, { username, password }: Person, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

/**
 * For the documentation: with RECORD_PICTURES=1, what is in sight is written to `docs/pictures/<name>.png`.
 *
 * @param size what is longer is cut off
 */
export async function recordPicture(page: Page, name: string, size = VIEWPORT): Promise<void> {
  if (process.env.RECORD_PICTURES !== '1') return;
  await page.setViewportSize(size);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}
