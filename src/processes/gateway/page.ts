/**
 * The built web page: where it is kept, and having it built where it can be. The service itself builds nothing: a
 * process of its own does, with tools that the image does not have, since the page lies in it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/index.ts';
import { LOCALHOST } from '../../domain/loopback.ts';
import type { PageSettings } from '../../gateway/page/page-settings.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** From the root of the repository. */
export const PAGE_SOURCES = 'page';
const BUILDER = join(ROOT, PAGE_SOURCES, 'build.ts');

/** The page is built from its own folder and from the contract, of which it imports constants. */
const BUILT_FROM = [PAGE_SOURCES, 'src/contract'];

/** Where the page of these sources is kept once it is built: other sources, other libraries, another directory. */
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

/** The same directory once there is something in it, for the gateway; asked again until then. */
export function pageLookUp(cacheDir: string): () => Promise<string | null> {
  let found: Promise<string | null> | undefined;
  return async () => {
    found ??= pageDirectory(cacheDir).then(async (directory) =>
      (await isBuilt(directory)) ? directory : null,
    );
    const directory = await found.catch(() => null);
    if (directory === null) found = undefined;
    return directory;
  };
}

export function pageSettingsOf({ auth, temporal, gateway }: Config): PageSettings {
  const { namespace } = temporal;
  const uiUrl = temporal.uiUrl ?? (temporal.embedded ? `http://${LOCALHOST}:${temporal.uiPort}` : null);
  return {
    issuer: auth.issuer,
    clientId: auth.app.clientId,
    scope: auth.app.scope,
    audience: auth.audience,
    permissionsClaim: auth.permissionsClaim ?? null,
    temporal: uiUrl === null ? null : { uiUrl, namespace },
    maxUploadBytes: gateway.maxUploadBytes,
  };
}

/** Has the page built where it is not. @throws Error with the reason why there is none */
export async function ensurePage(cacheDir: string, say: (line: string) => void): Promise<void> {
  const directory = await pageDirectory(cacheDir);
  if (await isBuilt(directory)) return;
  await access(BUILDER).catch(() => {
    throw new Error('it was not built before, and what builds it is not here');
  });
  say('Building the web page …');
  const child = spawn(process.execPath, [BUILDER, directory], { stdio: ['ignore', 'ignore', 'pipe'] });
  let reason = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    reason += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(reason.trim().split('\n').at(-1) ?? `the build ended with ${code}`);
}

function isBuilt(directory: string): Promise<boolean> {
  return access(join(directory, 'index.html')).then(
    () => true,
    () => false,
  );
}
