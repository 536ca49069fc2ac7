/** What src/bin holds is what a person or a container starts: each program is started by something that is written down. */
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { exists, readText } from './support.ts';

const STARTED_BY = ['package.json', 'deploy/Dockerfile', 'docker-compose.yml'];

async function namedPrograms(): Promise<Set<string>> {
  const directory = new URL('../../deploy/kubernetes/', import.meta.url);
  const names = await readdir(directory, { recursive: true });
  const manifests = names.filter((name) => name.endsWith('.yaml')).map((name) => `deploy/kubernetes/${name}`);
  const texts = await Promise.all([...STARTED_BY, ...manifests].map(readText));
  return new Set(texts.flatMap((text) => text.match(/\bsrc\/bin\/[\w-]+\.ts\b/g) ?? []));
}

it('every program is started by a script, an image or a manifest', async () => {
  const programs = await readdir(new URL('../../src/bin/', import.meta.url));
  const named = await namedPrograms();
  expect(programs.length).toBeGreaterThan(0);
  expect(programs.filter((name) => !named.has(`src/bin/${name}`))).toEqual([]);
});

it('none is started that is not there', async () => {
  const named = [...(await namedPrograms())];
  const present = await Promise.all(named.map(exists));
  expect(named.filter((_, index) => !present[index])).toEqual([]);
});
