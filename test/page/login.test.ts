/** People on the web page: they log in with the identity service, see what is theirs, search it, and log out. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR, UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { logInAs } from '../support/page-browser.ts';
import { ready } from '../support/page-screens.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const DISCOVERY = '**/.well-known/openid-configuration';
const LOGOUT = '**/session/end?*';
const TOKEN = '**/oauth2/token';
const LIST = '/regulator/package-imports';

describePage('the web page', { env: { BASE_PATH: '/prefix' } }, (web) => {
  let importId: number;
  beforeAll(async () => {
    ({ importId } = await web.imports.importOne());
  });

  it('shows the operator the imports of every client, and every screen', async () => {
    const page = await web.open();
    const table = page.getByRole('grid', { name: 'Imports' });
    await table.getByRole('link', { name: String(importId), exact: true }).waitFor();
    const looked = await web.stack.sql<{ actor: string }>(
      `select actor from audit_event where action = 'import.list_read'`,
    );
    expect(looked).toEqual([{ actor: `person:${OPERATOR.username}` }]);
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Imports',
      'Upload',
      'Products',
      'Failures',
      'Regulator session',
      'Webhook',
      'Statistics',
      'Audit',
    ]);
  });

  it('keeps tokens out of the storage of the browser, and needs no second login after a reload', async () => {
    const page = await web.open('audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).toBe('[{},{},""]');
    await page.reload();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/prefix/app/audit');
  });

  it('renews its tokens before they expire, and once after sleep, without a question', async () => {
    const page = await web.newPage();
    await page.clock.install();
    await logInAs(page, UPLOADER, web.url);
    const renewals: number[] = [];
    page.on('response', (answer) => {
      if (answer.request().postData()?.includes('grant_type=refresh_token')) renewals.push(answer.status());
    });
    const used = new Set<string>();
    const nextToken = async () => {
      const request = await page.waitForRequest((one) => {
        const { authorization = '' } = one.headers();
        return one.url().includes(LIST) && !used.has(authorization);
      });
      used.add(request.headers().authorization ?? '');
      return request;
    };
    await nextToken();
    await page.clock.fastForward('14:30');
    await nextToken();
    // The token is about to expire and has expired, at once. A refresh token that is used twice ends the login.
    await page.clock.fastForward('02:00:00');
    await nextToken();
    await page.clock.fastForward('14:30');
    const request = await nextToken();
    expect([200, 304]).toContain((await request.response())?.status());
    expect(renewals).toEqual([200, 200, 200]);
    expect(await page.getByText('Your login has ended').count()).toBe(0);
  });

  it('keeps the login while the identity service cannot be reached, and loads nothing more once it is refused', async () => {
    const page = await web.newPage({ provokes: /ERR_FAILED|status of 40[01]/ });
    await page.clock.install();
    await logInAs(page, UPLOADER, web.url);
    await ready(page);
    const ended = page.getByText('This screen is no longer updated.');
    // The laptop wakes up before its network.
    await page.route(TOKEN, (route) => route.abort());
    const lost = page.waitForEvent('requestfailed', (one) => one.url().endsWith('/oauth2/token'));
    await page.clock.fastForward('02:00:00');
    await lost;
    await page.unroute(TOKEN);
    const answered = page.waitForResponse(
      (answer) => answer.url().includes(LIST) && [200, 304].includes(answer.status()),
    );
    await page.clock.fastForward('00:40');
    await answered;
    expect(await ended.count()).toBe(0);

    await page.route(TOKEN, (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
    await page.route(`**${LIST}*`, (route) => route.fulfill({ status: 401, json: {} }));
    await page.clock.fastForward('02:00:00');
    await ended.waitFor();
    const later: string[] = [];
    page.on('request', (one) => later.push(one.url()));
    for (let minute = 0; minute < 5; minute += 1) await page.clock.runFor('01:00');
    expect(later).toEqual([]);
  });

  it('hides imports of others and screens of operators from the uploader', async () => {
    const page = await web.open('', { person: UPLOADER });
    await page.getByText('There are no imports yet').waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Imports',
      'Upload',
      'Products',
      'Failures',
      'Webhook',
      'Statistics',
    ]);
    await page.goto(`${web.url}audit`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  it('refuses a wrong password, and logs out', async () => {
    const page = await web.newPage();
    await page.goto(web.url);
    await page.getByLabel('User name').fill('operator');
    await page.getByLabel('Password').fill('uploader');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The user name or the password is wrong').waitFor();
    await logInAs(page, OPERATOR, web.url);
    const logOut = page.getByRole('button', { name: 'Log out' });
    // A person who leaves the question of the identity service is still logged in with it.
    let statusMeanwhile: number | undefined;
    await page.route(LOGOUT, async (route) => {
      const polled = await page.waitForRequest((request) => request.url().includes(LIST));
      statusMeanwhile = (await polled.response())?.status();
      await route.fulfill({ body: 'Log out?' });
    });
    await logOut.click();
    await page.getByText('Log out?').waitFor();
    // The screen is still there until the identity service answers.
    expect([200, 304]).toContain(statusMeanwhile);
    await page.goto(web.url);
    await logOut.waitFor();
    await page.unroute(LOGOUT);
    await logOut.click();
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    expect(page.url()).toBe(web.url);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Password').waitFor();
  });

  it('says that the person is still logged in at an identity service that offers no logout', async () => {
    const page = await web.newPage();
    await page.route(DISCOVERY, async (route) => {
      const answer = await route.fetch();
      const { end_session_endpoint: _, ...rest } = (await answer.json()) as Record<string, unknown>;
      await route.fulfill({ response: answer, json: rest });
    });
    await logInAs(page, OPERATOR, web.url);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    await page.getByText('You are still logged in at the identity service.').waitFor();
  });

  it('says that a login cannot begin without the identity service', async () => {
    const page = await web.open('', { provokes: /ERR_FAILED/ });
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.route(DISCOVERY, (route) => route.abort());
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The identity service cannot be reached.').waitFor();
  });

  it('asks for a password at any width, in light and dark', async () => {
    const page = await web.newPage();
    await page.goto(web.url);
    await page.getByLabel('Password').waitFor();
    await expectGoodAtAnyWidth(page);
  });

  describe('the search', () => {
    const [first, second] = [newProductId(), newProductId()];
    const known: Record<string, string> = {};
    beforeAll(async () => {
      const send = async (productId: string, fileName: string, comment: string) => {
        const zip = await zipOf({ [productPath('a')]: productXml({ productId }) });
        const { id } = (await upload(web.stack, zip, { fileName, comment })).body.data;
        return finished(web.stack, id);
      };
      const { id, submissions } = await send(first, 'spring-range.zip', 'for the shops');
      await send(second, 'autumn-range.zip', 'spring is over');
      const [submission] = submissions;
      Object.assign(known, {
        import: String(id),
        case: submission?.case_id,
        job: submission?.job_id,
        product: first,
      });
    });

    async function search(page: Page, text: string): Promise<void> {
      await ready(page);
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    }

    it('opens the only hit at once, from every screen, and the way back skips the search', async () => {
      const page = await web.open('statistics');
      for (const what of ['case', 'job', 'product']) {
        await ready(page);
        await search(page, known[what] ?? '');
        await page.getByRole('heading', { name: `Product ${first}`, exact: true }).waitFor();
        expect(await page.getByRole('searchbox', { name: 'Search everything' }).inputValue()).toBe('');
        await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
        await page.goBack();
        await page.getByRole('heading', { name: 'Statistics' }).waitFor();
      }
      await search(page, 'SPRING-RANGE');
      await page.getByRole('heading', { name: `Import ${known.import}` }).waitFor();
    });

    it('lists several hits, in every width, light and dark', async () => {
      const page = await web.open();
      await search(page, 'spring');
      await page.getByText('2 hits').waitFor();
      const imports = page.getByRole('main').getByRole('listitem');
      expect(await imports.allTextContents()).toEqual([
        expect.stringMatching(/^Import \d+spring-range.zip: for the shops$/),
        expect.stringMatching(/^Import \d+autumn-range.zip: spring is over$/),
      ]);
      await expectGoodAtAnyWidth(page);
      await imports.getByRole('link').first().click();
      await page.getByRole('heading', { name: `Import ${known.import}` }).waitFor();
    });

    it('says that nothing is found', async () => {
      const page = await web.open('', { provokes: /404/ });
      await search(page, '999999999');
      await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    });

    it('finds submissions by case and job in the API, for their owner', async () => {
      for (const query of [`case_id=${known.case}`, `job_id=${known.job}`]) {
        const { body } = await call<{ submissions: { product_id: string }[] }>(
          web.stack,
          'GET',
          `/regulator/submissions?${query}`,
        );
        expect(
          body.data.submissions.map(({ product_id }) => product_id),
          query,
        ).toEqual([first]);
      }
    });
  });
});
