/** docker-compose.yml as Compose reads it, with the passwords that deploy/compose-secrets.sh makes. */

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary.ts';

type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

export interface Service {
  image: string;
  build?: { dockerfile: string; target: string };
  command?: string[];
  profiles?: string[];
  environment?: Record<string, string | number | null>;
  volumes?: string[];
  ports?: string[];
  configs?: { source: string; target: string }[];
  depends_on?: Record<string, { condition: Condition }>;
  healthcheck?: { disable?: boolean; test?: string[] };
  stop_grace_period?: string;
  read_only?: boolean;
}

export interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  configs: Record<string, { content: string }>;
}

type Environment = Record<string, string>;

const SCRIPT = fileURLToPath(new URL('../../deploy/compose-secrets.sh', import.meta.url));

/** The content of `.env` after the script has run on it. */
export async function madeSecrets(before = ''): Promise<Environment> {
  const file = join(await temporaryDirectory(), '.env');
  await writeFile(file, before);
  await promisify(execFile)('sh', [SCRIPT, file]);
  return parseEnv(await readFile(file, 'utf8')) as Environment;
}

/** `${NAME:-default}` and `${NAME:?message}`, one within another too, innermost first. */
const VARIABLE = /\$\{(\w+)(?::([-?])((?:[^${}]|\$(?!\{))*))?\}/g;

/** @throws for a variable that must be set and is not */
export function interpolated(text: string, variables: Environment): string {
  const replaced = text.replace(VARIABLE, (_all, name: string, operator?: string, rest = '') => {
    if (variables[name]) return variables[name];
    if (operator === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
  return replaced === text ? text : interpolated(replaced, variables);
}

/** The environment of a container, given the variables of `.env`. */
export function environmentIn({ environment = {} }: Service, variables: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, interpolated(`${value}`, variables)]));
}
