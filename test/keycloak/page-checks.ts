/** Checks of the login on the web page with Keycloak, in a real browser. */
import type { Browser, Page } from 'playwright-core';
import type { Checks } from '../support/checks.ts';
import { newPage, type OpenedPage } from '../support/page-browser.ts';
import { say } from '../support/script.ts';
import { type Keycloak, OPERATOR, UPLOADER } from './keycloak.ts';

interface PageSetting {
  keycloak: Keycloak;
  gatewayUrl: string;
  browser: Browser;
}

type Person = Pick<typeof OPERATOR, 'username' | 'password'>;

const PAGE_CLIENT = 'package-import-app';
const NEWCOMER: Person = { username: 'newcomer', password: 'of the newcomer' };

export async function runPageChecks(setting: PageSetting, { equals: check }: Checks): Promise<void> {
  const { keycloak, gatewayUrl, browser } = setting;
  const url = `${gatewayUrl}/app/`;
  await allowPageAt(keycloak, gatewayUrl);
  await addNewcomer(keycloak);

  const logIn = async (person: Person, path = ''): Promise<OpenedPage> => {
    const opened = await newPage(browser);
    await opened.page.goto(url + path);
    await giveCredentials(opened.page, person);
    await opened.page.getByRole('button', { name: 'Log out' }).waitFor();
    return opened;
  };

  say('\nPeople on the web page');
  const operator = await logIn(OPERATOR, 'audit');
  await check('the operator is led back to the screen that was asked for', async () => {
    await heading(operator.page, 'Audit');
    return [new URL(operator.page.url()).pathname, await navigation(operator.page)];
  }, [
    '/app/audit',
    ['Imports', 'Upload', 'Products', 'Failures', 'Regulator session', 'Webhook', 'Statistics', 'Audit'],
  ]);
  await check(
    'the trail names the person, not a client',
    async () => {
      await operator.page.getByRole('link', { name: 'Imports', exact: true }).click();
      await operator.page.getByText('There are no imports yet').waitFor();
      await operator.page.getByRole('link', { name: 'Audit', exact: true }).click();
      await operator.page.getByText(`person:${OPERATOR.username}`).first().waitFor();
    },
    undefined,
  );
  await check(
    'a reload asks for no second login, and leaves no token in the browser',
    async () => {
      await operator.page.reload();
      await heading(operator.page, 'Audit');
      return operator.page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    },
    '[{},{}]',
  );
  await check('tokens are renewed before they end', () => renewal(browser, url), 200);
  await check(
    'after the logout Keycloak asks for the password again',
    async () => {
      await operator.page.getByRole('button', { name: 'Log out' }).click();
      await heading(operator.page, 'You are logged out');
      await operator.page.getByRole('button', { name: 'Log in' }).click();
      await operator.page.locator('#password').waitFor();
    },
    undefined,
  );

  const uploader = await logIn(UPLOADER);
  await check('the uploader sees imports, and nothing that only operators do', async () => {
    await uploader.page.getByText('There are no imports yet').waitFor();
    return navigation(uploader.page);
  }, ['Imports', 'Upload', 'Products', 'Failures', 'Webhook', 'Statistics']);
  await check(
    'its address does not show it either',
    async () => {
      await uploader.page.goto(`${url}audit`);
      await heading(uploader.page, 'Not found');
    },
    undefined,
  );

  const newcomer = await logIn(NEWCOMER);
  await check('a person without any permission is told so', async () => {
    await heading(newcomer.page, 'No permissions');
    return navigation(newcomer.page);
  }, []);
  await check(
    'no browser complained: of the policy of the page, of a script, of another host',
    async () => [operator, uploader, newcomer].flatMap(({ complaints }) => complaints),
    [],
  );
  for (const { page } of [operator, uploader, newcomer]) await page.context().close();
}

async function giveCredentials(page: Page, { username, password }: Person): Promise<void> {
  // By the ids of Keycloak's form: its words follow the language of the browser.
  await page.locator('#username').fill(username);
  await page.locator('#password').fill(password);
  await page.locator('#kc-login').click();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

const navigation = (page: Page) => page.getByRole('navigation').getByRole('link').allTextContents();

/** Status of the request for new tokens, a little before those of the login end: the realm's last 15 minutes. */
async function renewal(browser: Browser, url: string): Promise<number> {
  const { page } = await newPage(browser);
  await page.clock.install();
  await page.goto(url);
  await giveCredentials(page, OPERATOR);
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  const answer = page.waitForResponse((one) =>
    (one.request().postData() ?? '').includes('grant_type=refresh_token'),
  );
  await page.clock.fastForward('14:30');
  const status = (await answer).status();
  await page.context().close();
  return status;
}

/**
 * The realm knows the addresses of `npm start` and of Docker Compose; another one is entered there (deploy/compose.md).
 */
async function allowPageAt({ admin }: Keycloak, gatewayUrl: string): Promise<void> {
  const [client] = (await admin('GET', `/clients?clientId=${PAGE_CLIENT}`)) as {
    id: string;
    attributes: Record<string, string>;
  }[];
  await admin('PUT', `/clients/${client?.id}`, {
    ...client,
    redirectUris: [`${gatewayUrl}/app/callback`],
    webOrigins: [gatewayUrl],
    attributes: { ...client?.attributes, 'post.logout.redirect.uris': `${gatewayUrl}/app/` },
  });
}

/** Somebody to whom no role was given yet. */
async function addNewcomer({ admin }: Keycloak): Promise<void> {
  const { username, password } = NEWCOMER;
  await admin('POST', '/users', {
    username,
    enabled: true,
    emailVerified: true,
    email: 'newcomer@company.example',
    firstName: 'Nora',
    lastName: 'Newcomer',
    credentials: [{ type: 'password', value: password, temporary: false }],
  });
}
