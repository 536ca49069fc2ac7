/** The regulator session on the web page: login by mailed code, wrong codes, logout, pause. RECORD_PICTURES=1 takes the picture anew. */
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { eventually } from '../support/eventually.ts';
import { recordPicture } from '../support/page-browser.ts';
import { askForCode, logInByCode, mailedCode } from '../support/regulator-code.ts';
import { describePage, expectGoodAtAnyWidth } from '../support/starters/page.ts';
import { call } from '../support/upload.ts';

describePage('the regulator session on the web page', {}, (web) => {
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

  it('shows the tries left after a wrong code, and the fifth ends the login', async () => {
    const page = await web.open('session', { provokes: /status of 400/ });
    await page.getByRole('button', { name: 'End the session' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
    await askForCode(card(page));
    const wrong = wrongOf(await mailedCode(web.stack));
    for (const left of ['4 tries', '3 tries', '2 tries', '1 try']) {
      await enter(page, wrong);
      await card(page).getByText(`${left} left`).waitFor();
      await expect.poll(() => field(page).inputValue()).toBe('');
    }
    await enter(page, wrong);
    await card(page).getByText('The fifth wrong code has ended the login.').waitFor();
    await askForCode(card(page));
    await enter(page, wrongOf(await mailedCode(web.stack)));
    await card(page).getByText('4 tries left').waitFor();
    await card(page).getByRole('button', { name: 'Mail another code' }).click();
    await card(page).getByText('4 tries left').waitFor({ state: 'detached' });
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
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.getByText('Enter a reason.').waitFor();
    await dialog.getByLabel('Reason').fill('the regulator asked for quiet');
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Inserting', exact: true })
      .getByText('Paused', { exact: true })
      .waitFor();
    await page.getByRole('link', { name: 'Imports', exact: true }).click();
    const banner = page.getByRole('region', { name: 'Inserting is paused' });
    await banner.getByText('the regulator asked for quiet').waitFor();
    expect((await call<{ reason: string }>(web.stack, 'GET', '/regulator/inserting')).body.data.reason).toBe(
      'the regulator asked for quiet',
    );
    await banner.getByRole('button', { name: 'Resume inserting' }).click();
    await banner.waitFor({ state: 'detached' });
    expect((await call<{ paused: boolean }>(web.stack, 'GET', '/regulator/inserting')).body.data.paused).toBe(
      false,
    );
  });

  it('is good at any width during a login and a pause, in light and dark', async () => {
    await call(web.stack, 'POST', '/regulator/session');
    await call(web.stack, 'POST', '/regulator/inserting/actions/pause', { json: { reason: 'quiet' } });
    const page = await web.open('session', { provokes: /status of 400/ });
    await field(page).waitFor();
    await page.getByRole('region', { name: 'Inserting is paused' }).waitFor();
    await enter(page, wrongOf(await mailedCode(web.stack)));
    await card(page).getByText('4 tries left').waitFor();
    await page.getByRole('region', { name: 'History' }).getByText('entered a wrong code').first().waitFor();
    await expectGoodAtAnyWidth(page);
    await recordPicture(page, 'page-session');
    await call(web.stack, 'POST', '/regulator/inserting/actions/resume');
  });
});
