/**
 * Finds the built web page, and builds it in a child process if the sources are there. The image contains the built page
 * and no build tools.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LOCALHOST } from '../../common/network.ts';
import type { Config } from '../../config/index.ts';
import type { PageDependencies } from '../../gateway/page.ts';
import { VERSION } from '../shared/logger.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Path relative to the root of the repository. */
export const PAGE_SOURCES = 'page';
const BUILDER = join(ROOT, PAGE_SOURCES, 'build.ts');

/** The page is built from its own folder, and from what it imports of the service. */
const BUILT_FROM = [PAGE_SOURCES, 'src/contract', 'src/common'];

/** Directory of the built page, named by a hash of its sources. */
export async function pageDirectory(cacheDir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of BUILT_FROM) {
    const cwd = join(ROOT, folder);
    const sources = glob('**/*.{ts,tsx,css,html,svg,json}', { cwd, exclude: ['test', 'node_modules'] });
    const names = await Array.fromAsync(sources);
    for (const name of names.sort()) hash.update(name).update(await readFile(join(cwd, name)));
  }
  return join(cacheDir, 'app', hash.digest('hex').slice(0, 32));
}

/** The page as the gateway serves it. Its directory is null until the page is built. */
export function pageOf({ cacheDir, auth, temporal, gateway, regulator, mail }: Config): PageDependencies {
  const { namespace } = temporal;
  const uiUrl = temporal.uiUrl ?? (temporal.embedded ? `http://${LOCALHOST}:${temporal.uiPort}` : null);
  const trial =
    auth.embedded && regulator.embedded && auth.tokenUrl !== null
      ? {
          token_url: auth.tokenUrl,
          mailbox_url: mail.embedded ? `http://${LOCALHOST}:${mail.uiPort}` : null,
        }
      : null;
  return {
    async directory() {
      const directory = await pageDirectory(cacheDir).catch(() => null);
      return directory !== null && isBuilt(directory) ? directory : null;
    },
    settings: {
      version: VERSION,
      issuer: auth.issuer,
      client_id: auth.app.clientId,
      scope: auth.app.scope,
      audience: auth.audience,
      permissions_claim: auth.permissionsClaim ?? null,
      temporal: uiUrl === null ? null : { ui_url: uiUrl, namespace },
      max_upload_bytes: gateway.maxUploadBytes,
      trial,
    },
    // The sample package must never reach a real regulator.
    samplePackage: trial && join(ROOT, 'examples/package.zip'),
  };
}

/** Builds the page unless it is built. @throws Error with the reason if the build fails */
export async function ensurePage(
  cacheDir: string,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const directory = await pageDirectory(cacheDir);
  if (isBuilt(directory)) return;
  if (!existsSync(BUILDER)) throw new Error('it is not built, and its build tools are not installed');
  say('Building the web page, usually in ten seconds …');
  const build = promisify(execFile)(process.execPath, [BUILDER, directory], { signal });
  await build.catch(({ stderr, message }: Error & { stderr?: string }) => {
    throw new Error(stderr?.trim().split('\n').at(-1) || message);
  });
}

function isBuilt(directory: string): boolean {
  return existsSync(join(directory, 'index.html'));
}
