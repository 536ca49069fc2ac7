/** Pictures of the web page for its documentation: `RECORD_PICTURES=1` writes them, otherwise nothing happens. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));

/** As wide as a laptop's window; what is longer than it is cut off. */
export const PICTURE = { width: 1400, height: 900 };

/** What is in sight, written to `docs/pictures/<name>.png`. */
export async function recordPicture(page: Page, name: string): Promise<void> {
  if (process.env.RECORD_PICTURES !== '1') return;
  await page.setViewportSize(PICTURE);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}
