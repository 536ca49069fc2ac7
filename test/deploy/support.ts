/**
 * Reading what is deployed: files of the repository, YAML, docker-compose.yml as Compose reads it, and the variables
 * that containers may be given.
 */

import { execFile } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { CONFIG_VARIABLES, type Program } from '../../src/config/index.ts';
import { succeeds } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const ROOT = new URL('../../', import.meta.url);

export const readText = (path: string) => readFile(new URL(path, ROOT), 'utf8');

export const exists = (path: string) => succeeds(access(new URL(path, ROOT)));

/** The documents of a file. Fails on what YAML only warns of, too. */
export async function readYaml<T>(path: string): Promise<T[]> {
  return parseAllDocuments(await readText(path), { merge: true }).map((document) => {
    const faults = [...document.errors, ...document.warnings];
    if (faults.length > 0) throw new Error(`${path}: ${faults.map(({ message }) => message).join('; ')}`);
    return document.toJS() as T;
  });
}

/** Variables of libraries, which document them: Amazon's SDK, OpenTelemetry, Temporal's clients. */
export const STANDARD =
  /^(?:AWS_(?:REGION|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|ENDPOINT_URL_S3|REQUEST_CHECKSUM_CALCULATION)|OTEL_[A-Z_]+|TEMPORAL_TLS(?:_SERVER_NAME|_(?:CLIENT_CERT|CLIENT_KEY|SERVER_CA_CERT)_(?:PATH|DATA))?)$/;

export function unknownVariables(names: Iterable<string>): string[] {
  return [...names].filter((name) => !CONFIG_VARIABLES.includes(name) && !STANDARD.test(name));
}

/** Files of the repository in a command, `node src/processes/gateway.ts`. */
export const scriptsIn = (command: readonly string[]) => command.filter((word) => /\.(?:ts|mjs)$/.test(word));

const PROGRAMS: Record<string, Program> = {
  'src/processes/gateway.ts': 'gateway',
  'src/processes/worker.ts': 'worker',
  'src/processes/migrate.ts': 'migration',
  'src/processes/regulator-simulator.ts': 'trial part',
};

/** The program of a container's command. Without one it is that of the image, the gateway. */
export function programOf(command: readonly string[] = ['src/processes/gateway.ts']): Program {
  const program = PROGRAMS[scriptsIn(command)[0] ?? ''];
  if (program === undefined) throw new Error(`no program: ${command.join(' ')}`);
  return program;
}

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
  configs: Record<string, { content?: string; file?: string }>;
}

type Environment = Record<string, string>;

const SCRIPT = fileURLToPath(new URL('../../deploy/compose-secrets.sh', import.meta.url));

/** The path of a `.env`, readable by everyone, after the script has run on it. */
export async function secretsFile(before: string): Promise<string> {
  const file = join(await temporaryDirectory(), '.env');
  await writeFile(file, before, { mode: 0o644 });
  await promisify(execFile)('sh', [SCRIPT, file]);
  return file;
}

/** The content of `.env` after the script has run on it. */
export async function madeSecrets(before = ''): Promise<Environment> {
  return parseEnv(await readFile(await secretsFile(before), 'utf8')) as Environment;
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
