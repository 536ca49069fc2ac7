/** `.env.example` is written from the tables of variables, and nothing names one that does not exist. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CONFIG_VARIABLES } from '../../src/config/index.ts';
import { STANDARD } from '../deploy/support.ts';
import { COMPOSE_VARIABLES, envExample } from './env-example.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('.env.example', () => {
  it('equals the tables of variables (npm test -- test/documentation -u writes it)', async () => {
    await expect(envExample()).toMatchFileSnapshot('../../.env.example');
  });

  it('lists each variable once', () => {
    const names = [...CONFIG_VARIABLES, ...COMPOSE_VARIABLES];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('README.md', () => {
  it('names only variables that exist', async () => {
    const readme = await read('README.md');
    const named = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !CONFIG_VARIABLES.includes(name) && !STANDARD.test(name))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('sets only variables that exist', async () => {
    const compose = await read('docker-compose.yml');
    const ours = [...compose.matchAll(/^ {2,6}([A-Z][A-Z_]+): \$\{\1/gm)].map(([, name]) => name ?? '');
    expect(ours.length).toBeGreaterThan(20);
    expect(
      ours.filter(
        (name) => ![...CONFIG_VARIABLES, ...COMPOSE_VARIABLES].includes(name) && !STANDARD.test(name),
      ),
    ).toEqual([]);
  });
});
