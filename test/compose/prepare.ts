/** The images: from registries, or stand-ins for those that no registry has. */

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { findBase } from '../support/base-image/base-image.ts';
import { atEnd } from '../support/cleanup.ts';
import { findEngine } from '../support/container-engine.ts';
import { succeeds } from '../support/eventually.ts';
import { baseOfDockerfile, REPOSITORIES } from '../support/images.ts';
import { say } from '../support/script.ts';
import { findRunningEngine, startOwnEngine } from './engine.ts';
import { createStack, IMAGE_TAG, type Stack, type StackOptions } from './stack.ts';
import { makeStandIns } from './stand-ins.ts';
import { LASTING } from './trial.ts';

/** An unreachable registry may not answer at all. */
const PULL_TIMEOUT_MS = 10 * 60_000;
const ALL = ['--profile', 'observability'];

interface Prepared {
  stack: Stack;
  /** Services without an available image. */
  without: string[];
}

/**
 * Removes everything afterwards, also on failure.
 * @param images directory for the images of a daemon of our own
 * @throws Unavailable with the missing parts
 */
export async function prepareStack(directory: string, images: string | undefined): Promise<Prepared> {
  const waits = new AbortController();
  const prepared = await prepareWith({ directory, signal: waits.signal }, images);
  atEnd(async () => void (await prepared.stack.compose([...ALL, 'down', '--volumes', '--timeout', '5'])));
  atEnd(() => waits.abort());
  return prepared;
}

type Place = Pick<StackOptions, 'directory' | 'signal'>;

async function prepareWith(place: Place, images: string | undefined): Promise<Prepared> {
  const running = await findRunningEngine();
  if (running !== null) {
    const stack = await createStack({ ...place, env: running.env });
    if (await canPull(stack)) {
      say(`With ${running.description}`);
      return { stack, without: [] };
    }
    say(`${running.description} cannot get the images.`);
  }
  const own = await startOwnEngine({ ...(images && { kept: images }), say });
  say(`With ${own.description}`);
  // From here on, all callers find this engine.
  Object.assign(process.env, own.env);
  return withStandIns(place, own.env);
}

async function canPull(stack: Stack): Promise<boolean> {
  const base = await baseOfDockerfile();
  const pulled = Promise.all([
    stack.compose([...ALL, 'pull', '--quiet', '--ignore-buildable']),
    promisify(execFile)('docker', ['pull', '--quiet', base], { timeout: PULL_TIMEOUT_MS }),
  ]);
  return succeeds(pulled);
}

async function withStandIns(place: Place, env: Record<string, string>): Promise<Prepared> {
  const { directory } = place;
  const engine = await findEngine();
  const base = await findBase(engine, say);
  const stack = await createStack({ ...place, env, overrides: [await onBase(directory, base.tag)] });

  const services = Object.entries(parse(await stack.compose([...ALL, 'config'])).services) as [
    string,
    { image: string; build?: object },
  ][];
  const others = services.filter(([, { build }]) => build === undefined);
  say('Building the images …');
  await stack.compose(['build', 'regulator-simulator']);
  const missing = await makeStandIns({
    images: [...new Set(others.map(([, { image }]) => image))],
    base: base.tag,
    trials: `${REPOSITORIES.trials}:${IMAGE_TAG}`,
    directory,
    compose: async (args) => void (await stack.compose(args)),
    say,
  });
  return { stack, without: others.filter(([, { image }]) => missing.includes(image)).map(([name]) => name) };
}

/** A Compose file that builds our images on another base. */
async function onBase(directory: string, base: string): Promise<string> {
  const build = { args: { NODE_IMAGE: base } };
  const names = ['migrate', ...LASTING, 'regulator-simulator'];
  const services = Object.fromEntries(names.map((name) => [name, { build }]));
  const file = join(directory, 'base.json');
  await writeFile(file, JSON.stringify({ services }));
  return file;
}
