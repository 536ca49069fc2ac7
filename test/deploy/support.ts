/** Reading what is deployed: files of the repository, YAML, and the variables that containers may be given. */
import { access, readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { CONFIG_VARIABLES, type Program } from '../../src/config/index.ts';

const ROOT = new URL('../../', import.meta.url);

export const readText = (path: string) => readFile(new URL(path, ROOT), 'utf8');

export const exists = (path: string) =>
  access(new URL(path, ROOT)).then(
    () => true,
    () => false,
  );

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
