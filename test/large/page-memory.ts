/** `npm run prove -- page-memory`: a page that is left open for an hour does not grow, whichever screen it shows. */
import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { OPERATOR } from '../../src/trial-parts/identity-service/people.ts';
import { logInAs } from '../support/page-browser.ts';
import { fillScreens, ready, screenPaths } from '../support/page-screens.ts';
import { describePage } from '../support/starters/page.ts';
import type { StackOptions } from '../support/starters/stack.ts';

/**
 * Length of one clock step, and the number of steps for an hour. Screens poll every two seconds or less
 * often. The step is shorter than the login's timeout: a request between two steps takes no time by this
 * clock.
 */
const STEP_MS = 9_000;
const STEPS_OF_AN_HOUR = 400;
/** Steps before the measurement: caches and bounded lists of the browser fill, which is no growth. */
const WARM_UP_STEPS = 260;
/**
 * Allowed growth in an hour. The clock of the test itself keeps some 120 kB; one kept answer of each poll, of
 * the shortest list, is 500 kB more.
 */
const GROWTH_BYTES = 300_000;

/** An hour's requests come within seconds: refused, they would have nothing to draw. */
const UNLIMITED: StackOptions['change'] = ({ quotas }) => ({
  quotas: { ...quotas, requestsPerMinute: 1_000_000 },
});

/** By this clock an answer can come too late on a busy machine: the same token is sent again, and refused. */
const RENEWED_TWICE = /status of 400 .*\/oauth2\/token$/;

const paths = await screenPaths();

describePage('left open for an hour', { change: UNLIMITED }, (web) => {
  let exampleOf: (path: string) => string;
  beforeAll(async () => {
    exampleOf = await fillScreens(web);
  });

  let page: Page;
  let session: CDPSession;
  let underWay: number;
  let asked: number;

  beforeEach(async () => {
    page = await web.newPage({ provokes: RENEWED_TWICE });
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
  });

  async function open(path: string): Promise<void> {
    await logInAs(page, OPERATOR, web.url + exampleOf(path));
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

  it('detects growth', async () => {
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
