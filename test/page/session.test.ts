/**
 * Settings on the web page, by a person without any other tool: the webhook; the regulator session with its login by
 * mailed code, wrong codes, logout and pause. RECORD_PICTURES=1 takes the pictures anew.
 */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { eventually } from '../support/eventually.ts';
import { recordPicture } from '../support/page-browser.ts';
import { askForCode, logInByCode, mailedCode } from '../support/regulator-code.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { call } from '../support/upload.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
const prepare = async () => {
  receiver = await startWebhookReceiver();
  return { env: { WEBHOOK_HOSTS: receiver.host } };
};

describePage('settings on the web page', prepare, (web) => {
  describe('the webhook', () => {
    const card = (page: Page) => page.getByRole('region', { name: 'URL for messages' });
    const shownSecret = (page: Page) => card(page).locator('code', { hasText: 'whsec_' });
    const newest = (page: Page) => page.getByRole('grid', { name: 'Messages' }).getByRole('row').nth(1);

    async function confirm(page: Page, action: string): Promise<void> {
      await card(page).getByRole('button', { name: action }).click();
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }

    async function register(page: Page, url: string): Promise<void> {
      await page.getByLabel('URL', { exact: true }).fill(url);
      await page.getByLabel('URL', { exact: true }).press('Enter');
    }

    it('is registered, its secret is shown once and rotated, and it is disabled and deleted', async () => {
      const page = await web.open('webhook', { provokes: /status of 400/ });
      await register(page, 'https://elsewhere.example/');
      await card(page).getByText('which the operators do not allow').waitFor();
      await register(page, receiver.url);
      const secret = await shownSecret(page).innerText();
      await card(page).getByRole('button', { name: 'I have saved it' }).click();
      await shownSecret(page).waitFor({ state: 'detached' });
      await confirm(page, 'Rotate the secret');
      expect(await shownSecret(page).innerText()).not.toBe(secret);
      await card(page).getByText('The previous secret is valid until').waitFor();
      await page.reload();
      await card(page).getByText(receiver.url).waitFor();
      expect(await shownSecret(page).count()).toBe(0);
      await confirm(page, 'Disable');
      await card(page).getByText('None: only uploads').waitFor();
      await confirm(page, 'Delete');
      await card(page).getByRole('button', { name: 'Delete' }).waitFor({ state: 'detached' });
      expect(await web.stack.sql('select * from webhook')).toEqual([]);
    });

    it('sends a test message, shows the answer, and sends messages again', async () => {
      const page = await web.open('webhook');
      await register(page, receiver.url);
      receiver.respond = (response) => response.writeHead(410).end('no such route');
      await card(page).getByRole('button', { name: 'Send a test message' }).click();
      await newest(page).getByText('Failed').waitFor();
      await newest(page).getByText('webhook.test').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('no such route').waitFor();
      await dialog.getByText('HTTP 410').waitFor();
      receiver.respond = null;
      await dialog.getByRole('button', { name: 'Send again' }).click();
      await dialog.getByText('Delivered', { exact: true }).waitFor();
      await dialog.getByText('thank you').waitFor();
      await expectGoodAtAnyWidth(page);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.keyboard.press('Escape');
      expect(receiver.messages).toHaveLength(2);
    });
  });

  describe('the regulator session', () => {
    beforeEach(async () => {
      web.imports.restoreRegulator();
      await web.stack.logIn();
    });

    const card = (page: Page) => page.getByRole('region', { name: 'Session', exact: true });
    const field = (page: Page) => page.getByLabel('Verification code');
    const wrongOf = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

    async function enter(page: Page, code: string): Promise<void> {
      await field(page).fill(code);
      await field(page).press('Enter');
    }

    it('shows its time left, is ended, and is opened by the mailed code', async () => {
      const page = await web.open('session');
      await card(page).getByText('Logged in', { exact: true }).waitFor();
      const left = () => card(page).locator('dd').nth(1).innerText();
      const first = await left();
      expect(first).toMatch(/^(7 h 59 min|8 h)$/);
      await page.getByRole('button', { name: 'End the session' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
      await card(page).getByText('Not logged in').waitFor();
      await logInByCode(page, card(page), web.stack);
      await card(page).getByText('Logged in', { exact: true }).waitFor();
      const trail = page.getByRole('region', { name: 'History' });
      await trail.getByText('operator logged in').first().waitFor();
      expect((await trail.getByRole('listitem').allInnerTexts()).slice(0, 3).join('\n')).toMatch(
        /operator logged in.*operator started a login.*operator ended the session/s,
      );
    });

    it('counts down', async () => {
      web.stack.simulator.simulation.behaviour.session_ttl_seconds = 90;
      await web.stack.logIn();
      const page = await web.open('session');
      await card(page).getByText('Logged in', { exact: true }).waitFor();
      const left = () => card(page).locator('dd').nth(1).innerText();
      const first = await left();
      expect(first).toMatch(/^1 min( \d+ s)?$|^\d+ s$/);
      await eventually(async () => (await left()) !== first);
    });

    it('shows the attempts left after a wrong code, and the fifth ends the login', async () => {
      const page = await web.open('session', { provokes: /status of 400/ });
      await page.getByRole('button', { name: 'End the session' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
      await askForCode(card(page));
      const wrong = wrongOf(await mailedCode(web.stack));
      for (const left of ['4 attempts', '3 attempts', '2 attempts', '1 attempt']) {
        await enter(page, wrong);
        await card(page).getByText(`${left} left`).waitFor();
        await expect.poll(() => field(page).inputValue()).toBe('');
      }
      await enter(page, wrong);
      await card(page).getByText('The fifth wrong code has ended the login.').waitFor();
      await askForCode(card(page));
      await enter(page, wrongOf(await mailedCode(web.stack)));
      await card(page).getByText('4 attempts left').waitFor();
      await card(page).getByRole('button', { name: 'Mail another code' }).click();
      await card(page).getByText('4 attempts left').waitFor({ state: 'detached' });
      await enter(page, await mailedCode(web.stack));
      await card(page).getByText('Logged in', { exact: true }).waitFor();
    });

    it('announces waiting inserts on every screen, to people who may log in', async () => {
      web.imports.takeRegulatorAway();
      await web.imports.importOne();
      // A logout needs the regulator.
      await web.stack.simulator.simulation.state.endSession();
      await web.stack.database.regulatorSession.clear('test');
      const page = await web.open();
      const banner = page.getByRole('region', { name: 'Inserts wait for the session' });
      await banner.getByText(/\d+ imports? waits? for it/).waitFor();
      const other = await web.open('', { person: UPLOADER });
      await other.getByRole('grid', { name: 'Imports' }).or(other.getByText('no imports yet')).waitFor();
      expect(await other.getByText('wait for it').count()).toBe(0);
      web.imports.restoreRegulator();
      await banner.getByRole('link', { name: 'Log in with the regulator' }).click();
      await logInByCode(page, card(page), web.stack);
      await banner.waitFor({ state: 'detached' });
    });

    it('pauses inserting with a reason that every screen shows, and resumes it', async () => {
      const page = await web.open('session');
      await page.getByRole('button', { name: 'Pause inserting' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Pause inserting' }).click();
      expect(await dialog.locator('input:invalid').count()).toBe(1);
      await dialog.getByLabel('Reason').fill('the regulator asked for quiet');
      await page.keyboard.press('Enter');
      await page
        .getByRole('region', { name: 'Inserting', exact: true })
        .getByText('Paused', { exact: true })
        .waitFor();
      await page.getByRole('link', { name: 'Imports', exact: true }).click();
      const banner = page.getByRole('region', { name: 'Inserting is paused' });
      await banner.getByText('the regulator asked for quiet').waitFor();
      expect(
        (await call<{ reason: string }>(web.stack, 'GET', '/regulator/inserting')).body.data.reason,
      ).toBe('the regulator asked for quiet');
      await banner.getByRole('button', { name: 'Resume inserting' }).click();
      await banner.waitFor({ state: 'detached' });
      expect(
        (await call<{ paused: boolean }>(web.stack, 'GET', '/regulator/inserting')).body.data.paused,
      ).toBe(false);
    });

    it('is good at any width during a login and a pause, in light and dark', async () => {
      await call(web.stack, 'POST', '/regulator/session');
      await call(web.stack, 'POST', '/regulator/inserting/actions/pause', { json: { reason: 'quiet' } });
      const page = await web.open('session', { provokes: /status of 400/ });
      await field(page).waitFor();
      await page.getByRole('region', { name: 'Inserting is paused' }).waitFor();
      await enter(page, wrongOf(await mailedCode(web.stack)));
      await card(page).getByText('4 attempts left').waitFor();
      await page.getByRole('region', { name: 'History' }).getByText('entered a wrong code').first().waitFor();
      await expectGoodAtAnyWidth(page);
      await recordPicture(page, 'page-session');
      await call(web.stack, 'POST', '/regulator/inserting/actions/resume');
    });
  });
});
