/** A headless browser, for tests of pages that are not ours; null where there is none. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path of a browser that is installed, or null. */
export async function findBrowser(): Promise<string | null> {
  const directories = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  const paths = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)));
  for (const path of [...paths, ...ELSEWHERE]) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}

export function launchBrowser(executablePath: string): Promise<Browser> {
  return puppeteer.launch({
    executablePath,
    // As root it refuses to start with its sandbox; it sees our own server only.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    defaultViewport: { width: 1480, height: 800 },
    timeout: 60_000,
  });
}
