/** The regulator login on the web page, with the mailed code. */
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import type { Stack } from './starters/stack.ts';

const BUTTON = 'Log in with the regulator';

/** Requests a code, until its field appears. @param within card or dialog */
export async function askForCode(within: Locator): Promise<void> {
  await within.getByRole('button', { name: BUTTON }).click();
  await within.getByLabel('Verification code').waitFor();
}

/** The code of the newest mail, once it belongs to the pending login. */
export function mailedCode({ simulator, mailbox }: Stack): Promise<string> {
  return eventually(async () => {
    const { pendingCode } = simulator.simulation.state;
    const mails = await mailbox.store.list();
    const code = mails.map(({ text }) => /^\d{6}$/m.exec(text)?.[0]).find((one) => one !== undefined);
    return code === pendingCode ? code : null;
  });
}

/** Logs in from the button to the code. */
export async function logInByCode(page: Page, within: Locator, stack: Stack): Promise<void> {
  await askForCode(within);
  await page.keyboard.type(await mailedCode(stack));
  await page.keyboard.press('Enter');
}
