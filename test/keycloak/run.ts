/**
 * The service against a real third-party identity service: `node test/keycloak/run.ts`.
 *
 * Needs Java 17 and Maven, which fetches Keycloak (about 160 MB, once); says so and ends with 0 where they are
 * missing. Starts Keycloak with the realm of deploy/keycloak and the whole service beside it, each on free ports
 * with its data in a temporary directory, and ends both. People log in on the web page in a headless Chromium or
 * Chrome, where there is one. Takes two to four minutes, most of it Keycloak's start and the minute for which a key
 * set counts as fresh; that is why it is no part of `npm test`.
 *
 * Exits with 1 when a check fails.
 */
import { readFile } from 'node:fs/promises';
import { ensurePage } from '../../src/processes/gateway/page.ts';
import { findBrowser, launchBrowser } from '../support/browser.ts';
import { createChecks } from '../support/checks.ts';
import { closing } from '../support/cleanup.ts';
import { runScript, say } from '../support/script.ts';
import { npmStart } from '../support/starters/stack.ts';
import { runChecks } from './checks.ts';
import { missingTools, startKeycloak } from './keycloak.ts';
import { runPageChecks } from './page-checks.ts';

const missing = missingTools();
if (missing !== null) {
  say(`skipped: Keycloak cannot be started here, ${missing} is missing`);
  process.exit(0);
}

/** Returns how many checks have failed. */
async function run(): Promise<number> {
  const keycloak = await startKeycloak(say);
  // All that has to be said to the service about its identity service: the rest is in Keycloak's metadata.
  const service = await npmStart({ AUTH_ISSUER: keycloak.issuer, LOG_LEVEL: 'warn' });
  const zip = await readFile(new URL('../../examples/package.zip', import.meta.url));
  const { gatewayUrl } = service;
  const checks = createChecks(say);
  const executable = await findBrowser();
  if (executable === null) say('\nskipped: people on the web page, no Chromium or Chrome on the PATH');
  else {
    await ensurePage(service.config.cacheDir, say);
    const browser = await closing(launchBrowser(executable));
    await runPageChecks({ keycloak, gatewayUrl, browser }, checks);
  }
  // The last of them ends Keycloak.
  await runChecks({ keycloak, gatewayUrl, zip }, checks);
  return checks.failed();
}

await runScript(run);
