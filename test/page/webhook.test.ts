/** The webhook on the web page, by a person without any other tool. RECORD_PICTURES=1 takes the picture anew. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { recordPicture } from '../support/page-browser.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
const prepare = async () => {
  receiver = await startWebhookReceiver();
  return { env: { WEBHOOK_HOSTS: receiver.host } };
};

describePage('the webhook on the web page', prepare, (web) => {
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
    await recordPicture(page, 'webhook');
  });
});
