/** An installed headless browser, driven by Playwright; null if there is none. */
import { type Browser, chromium } from 'playwright-core';
import { findProgram, firstExecutable } from './found-program.ts';

/** The headless shell is Chromium without windows. A test of the page takes 0.7 of the CPU with it. */
const NAMES = [
  'chromium-headless-shell',
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path of an installed browser, or null. */
export async function findBrowser(): Promise<string | null> {
  for (const name of NAMES) {
    const found = await findProgram(name);
    if (found !== null) return found;
  }
  return firstExecutable(ELSEWHERE);
}

/**
 * The browser resolves only the names of this machine, whatever a page requests.
 *
 * @param line a proxy for connections to one port of this machine, for tests that cut it
 * @param flags settings of the browser
 */
export function launchBrowser(
  executablePath: string,
  line?: { port: number; through: number },
  flags: readonly string[] = [],
): Promise<Browser> {
  const rules =
    line === undefined
      ? 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
      : `MAP 127.0.0.1:${line.port} 127.0.0.1:${line.through}`;
  return chromium.launch({
    executablePath,
    args: [
      // Under root the browser refuses to start with its sandbox. It opens this machine's servers only.
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...[`--host-resolver-rules=${rules}`, ...flags],
    ],
    timeout: 60_000,
  });
}
