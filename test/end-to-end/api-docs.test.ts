/** The interactive pages of both API descriptions, in a real browser that reaches only their own host. */
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { findBrowser, launchBrowser } from '../support/browser.ts';
import { closing } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';

const executable = await findBrowser();

interface Opened {
  page: Page;
  /** Addresses of other hosts that the page requested; the browser resolves no other host. */
  elsewhere: string[];
  /** Errors of the browser: failed scripts, and loads that the Content-Security-Policy forbids. */
  complaints: string[];
}

describe.skipIf(executable === null)('in a browser (needs Chromium or Chrome on the PATH)', () => {
  let stack: Stack;
  let browser: Browser;
  beforeAll(async () => {
    stack = await startStack({ loggedOut: true, withoutWorkers: true });
    browser = await closing(launchBrowser(executable ?? ''));
  });

  /** @param tokenUrl another address that the page may request */
  async function open(url: string, tokenUrl: string | null = null): Promise<Opened> {
    const page = await browser.newPage();
    const opened: Opened = { page, elsewhere: [], complaints: [] };
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      const isAllowed = origin === new URL(url).origin || request.url() === tokenUrl;
      if (protocol !== 'data:' && !isAllowed) opened.elsewhere.push(request.url());
    });
    page.on('pageerror', (error) => opened.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') opened.complaints.push(message.text());
    });
    await page.goto(url);
    await page.locator('.opblock').first().waitFor();
    return opened;
  }

  /** Selector of an operation on the page, by its `operationId`. */
  const block = (operationId: string) => `.opblock[id$="-${operationId}"]`;

  const textOf = async (page: Page, selector: string) =>
    (await page.locator(selector).first().textContent()) ?? '';

  /** Sends an operation from the page. @returns the selector of its answer */
  async function tryOut(page: Page, operationId: string): Promise<string> {
    const operation = block(operationId);
    await page.click(`${operation} .opblock-summary-control`);
    await page.locator(`${operation} .try-out__btn`).first().waitFor();
    await page.click(`${operation} .try-out__btn`);
    await page.locator(`${operation} .execute`).first().waitFor();
    await page.click(`${operation} .execute`);
    const answer = `${operation} .live-responses-table .response`;
    await page.locator(answer).first().waitFor();
    return answer;
  }

  /** Fills in the form of the first scheme, the bearer token. */
  async function enterToken(page: Page, token: string): Promise<void> {
    await page.click('.btn.authorize');
    await page.locator('.auth-container input[type=text]').first().waitFor();
    await page.fill('.auth-container input[type=text]', token);
    await page.click('.auth-container .authorize');
    await page.click('.btn-done');
  }

  /** Fills in the form of the scheme that fetches its token, with all scopes. */
  async function fetchToken(page: Page, client: { clientId: string; clientSecret: string }): Promise<void> {
    await page.click('.btn.authorize');
    await page.locator('#client_id_clientCredentials').first().waitFor();
    // The entered token is no longer sent.
    await page.click('.auth-container:not(:has(#client_id_clientCredentials)) button:has-text("Logout")');
    await page.fill('#client_id_clientCredentials', client.clientId);
    await page.fill('#client_secret_clientCredentials', client.clientSecret);
    // Images of boxes cover the checkboxes.
    for (const scope of await page.locator('.auth-container .scopes input[type=checkbox]').all())
      await scope.dispatchEvent('click');
    await page.click('.auth-container:has(#client_id_clientCredentials) .authorize');
    await page.locator('.auth-container button:has-text("Logout")').first().waitFor();
    await page.click('.btn-done');
  }

  it('shows every operation of the gateway, calls it with a token, and reaches no other address', async () => {
    const { page, elsewhere, complaints } = await open(
      `${stack.gatewayUrl}/api/doc`,
      stack.config.auth.tokenUrl,
    );
    type Paths = Record<string, Record<string, { operationId: string }>>;
    const description = (await (await fetch(`${stack.gatewayUrl}/api/doc.json`)).json()) as {
      paths: Paths;
      webhooks: Paths;
    };
    const { paths, webhooks } = description;
    const operations = [paths, webhooks].flatMap((parts) => Object.values(parts).flatMap(Object.keys));
    expect(operations.length).toBeGreaterThan(10);
    await expect.poll(() => page.locator('.opblock').count()).toBe(operations.length);
    for (const methods of Object.values(paths))
      for (const { operationId } of Object.values(methods))
        await page.locator(block(operationId)).first().waitFor();
    expect(await textOf(page, block('postPackageImport'))).toContain('/regulator/package-import');
    expect(await page.title()).toBe('Package import API');

    await enterToken(page, await stack.token());
    const answer = await tryOut(page, 'getRegulatorSession');
    expect(await textOf(page, `${answer} .response-col_status`)).toContain('200');
    expect(await textOf(page, `${answer} .response-col_description`)).toContain(
      'No regulator session stored.',
    );
    await fetchToken(page, DEMO_CLIENT);
    const other = await tryOut(page, 'getInserting');
    expect(await textOf(page, `${other} .response-col_status`)).toContain('200');
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });

    // Its policy permits only the token endpoint of the identity service.
    const fetched = await page.evaluate(
      `fetch(${JSON.stringify(`${stack.config.auth.issuer}/oauth2/jwks`)}).then(() => 'fetched', String)`,
    );
    expect(fetched).toContain('Failed to fetch');
    expect(complaints.join(' ')).toContain('connect-src');
  });

  it('shows the login operation of the identity service, and loads nothing from another host', async () => {
    const { page, elsewhere, complaints } = await open(`${stack.config.auth.issuer}/api/doc`);
    await page.locator(block('postLogin')).first().waitFor();
    expect(await textOf(page, block('postLogin'))).toContain('/api/login');
    await page.locator(block('postToken')).first().waitFor();
    expect(await textOf(page, '.opblock-tag')).toContain('authentication');
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
    // This test detects a request to another host.
    await page.evaluate("location.href = 'http://company.example/'");
    await eventually(async () => elsewhere.length > 0);
    expect(elsewhere).toEqual(['http://company.example/']);
  });
});
