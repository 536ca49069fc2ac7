/** The web page in a headless browser. A test fails if the browser reports errors. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Person } from '../../src/trial-parts/identity-service/people.ts';

/** Injected by the debugger, so the page's Content-Security-Policy does not apply. */
const AXE = axe.source;

export interface OpenedPage {
  page: Page;
  /** Script errors, violations of the Content-Security-Policy, requests to other hosts. */
  complaints: string[];
}

/** Window size of a laptop. */
const VIEWPORT = { width: 1400, height: 900 };
const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));

/** Opens a page in a new profile without a login. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: VIEWPORT,
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

/** The rules of axe that see colours. The others find the same in light and dark. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Serious and critical findings of axe-core on the current page, one line each; in the dark, those of colours. */
export async function seriousFindings(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  // Axe runs after colour transitions: their intermediate colours are not designed. Endless animations do not change
  // colours.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  )`);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  // Axe takes half of its time to describe elements without a finding.
  const options = {
    resultTypes: ['violations'],
    ...(colorScheme === 'dark' && { runOnly: RULES_OF_COLOURS }),
  };
  const result = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/**
 * Opens an address of the page and logs in with the embedded identity service, which asks nothing while the profile has a
 * session with it.
 */
export async function logInAs(page: Page, { username, password }: Person, url: string): Promise<void> {
  const asked = page.getByLabel('User name');
  const loggedIn = page.getByRole('button', { name: 'Log out' });
  await page.goto(url);
  await asked.or(loggedIn).waitFor();
  if (await asked.isVisible()) {
    await asked.fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  }
  await loggedIn.waitFor();
}

/**
 * For the documentation: with RECORD_PICTURES=1, writes a picture of the visible part to `docs/pictures/<name>.png`.
 *
 * @param size the picture is cut off at this size
 */
export async function recordPicture(page: Page, name: string, size = VIEWPORT): Promise<void> {
  if (process.env.RECORD_PICTURES !== '1') return;
  await page.setViewportSize(size);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}
