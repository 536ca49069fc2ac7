/** Contents of the images, and forbidden contents: checked inside them, without any network. */
import { readFile } from 'node:fs/promises';
import type { Checks } from '../support/checks.ts';
import { type Engine, inspectImage } from '../support/container-engine.ts';
import { type Built, ROOT } from '../support/images.ts';

/** Megabytes, of 1,000,000 bytes as engines count them. */
const MAX_ABOVE_BASE_MB = 140;

/** The image needs no build tools: nothing is built or installed at run time. */
const BUILD_TOOLS =
  /^(?:npm|npx|corepack|yarn|pnpm|cc|c\+\+|gcc|g\+\+|clang|ld|make|python\d?|pip\d?|git|go|rustc|cargo|tsc|esbuild)$/;
/** Parts for `npm start`, trials and people, which production does not have. */
const DEMO_PARTS =
  /^(?:cli|src\/trial-parts|src\/processes\/whole-service)\/|^src\/processes\/shared\/embedded\.ts$|^src\/processes\/(?!(?:gateway|worker|migrate)\.ts$)[^/]+\.ts$|^node_modules\/(?:oidc-provider|smtp-server)\//;
const NEVER_LOADED = /\.map$|^node_modules\/.*\.[cm]?ts$|\.rs$/;
const NOT_SHIPPED = /^(?:test|tools|bench|docs|deploy|examples)\//;
const NATIVE_CORE = /^node_modules\/@temporalio\/core-bridge\/releases\/[^/]+\/index\.node$/;
const COMPILERS = /^node_modules\/(?:@swc|typescript|esbuild|vite)\//;

interface Found {
  uid: number;
  gid: number;
  timeZone: string;
  commands: string[];
  app: string[];
  writable: string[];
  data: boolean;
  unloadable: string[];
}

export async function checkImage(
  engine: Engine,
  built: Built,
  baseTag: string,
  checks: Checks,
): Promise<void> {
  const { tag } = built;
  const image = await inspectImage(engine, tag);
  const base = await inspectImage(engine, baseTag);
  const above = (image.sizeBytes - base.sizeBytes) / 1e6;
  const output = (args: string[], script = '') => engine.output(['--network', 'none', ...args], script);
  const run = async (args: string[], script = '') => JSON.parse(await output(args, script));
  const script = await readFile(new URL('inside.mjs', import.meta.url), 'utf8');
  const found = (await run([tag, 'node', '--input-type=module', '-'], script)) as Found;

  checks.that(
    `stands on its base, ${above.toFixed(1)} MB above it`,
    base.layers.every((one, index) => image.layers[index] === one),
  );
  checks.that(
    'runs as user 1000',
    image.user === '1000:1000' && found.uid === 1000 && found.gid === 1000,
    found.uid,
  );
  checks.none('can change nothing of its own', found.writable);
  checks.that('can write to its volume', found.data);
  checks.none(
    'has no build tools',
    found.commands.filter((name) => BUILD_TOOLS.test(name)),
  );
  checks.none(
    'has no source maps, types and sources of others',
    found.app.filter((path) => NEVER_LOADED.test(path)),
  );
  checks.none(
    'has nothing of the repository but what runs',
    found.app.filter((path) => NOT_SHIPPED.test(path)),
  );
  checks.none('has no dependencies of development', await developmentPackages(found.app));
  checks.none('can load every module that it has', found.unloadable);
  checks.that('is in UTC', found.timeZone === 'UTC', found.timeZone);
  const { timeZone } = await run(['--env', 'TZ=Europe/Stockholm', tag, 'node', '--print', PRINT_TIME_ZONE]);
  checks.that('is in another time zone where TZ says so', timeZone === 'Europe/Stockholm', timeZone);
  if (built.target !== 'service') return;
  checkService(found, above, checks);
  const silent = output([tag, 'sh', '-c', image.healthcheck]).then(
    () => false,
    () => image.healthcheck !== '',
  );
  checks.that('has a health check, which fails where no gateway answers', await silent);
}

const PRINT_TIME_ZONE = 'JSON.stringify({ timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })';

function checkService({ app }: Found, above: number, checks: Checks): void {
  checks.that(`is at most ${MAX_ABOVE_BASE_MB} MB above its base`, above <= MAX_ABOVE_BASE_MB, above);
  checks.none(
    'has no demo parts and no command line',
    app.filter((path) => DEMO_PARTS.test(path)),
  );
  checks.none(
    'has no compilers',
    app.filter((path) => COMPILERS.test(path)),
  );
  checks.that('has one native core', app.filter((path) => NATIVE_CORE.test(path)).length === 1);
  checks.that(
    'has the workflow bundle',
    app.filter((path) => /^\.cache\/.*\/workflow-bundles\/\w+\.js$/.test(path)).length === 1,
  );
  checks.that(
    'has the web page',
    app.some((path) => /^\.cache\/package-import\/app\/\w+\/index\.html$/.test(path)),
  );
}

/** Those that the lock file has for development only. */
async function developmentPackages(paths: readonly string[]): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(`${ROOT}package-lock.json`, 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const present = new Set(paths);
  return Object.keys(packages).filter((path) => packages[path]?.dev === true && present.has(path));
}
