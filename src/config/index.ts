/**
 * The configuration: the environment, parsed once and frozen (decision §configuration-is-the-environment).
 * The defaults suit `npm start` on one machine. A variable with the address of a system replaces its embedded part.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ClientConfigProfile } from '@temporalio/envconfig';
import { isLoopback } from '../common/network.ts';
import type { ProductCheck } from '../contract/product-checks.ts';
import type { WorkerRole } from '../domain/task-queues.ts';
import { CONSTANTS } from './constants.ts';
import { GROUPS, type Values } from './groups/index.ts';
import { needsStartTls, unsafeVariables } from './hardening.ts';
import { type Ports, portsWith } from './ports.ts';
import { type Program, partsOf } from './programs.ts';
import { readTemporalProfile } from './temporal.ts';
import { InvalidConfiguration, readGroups, variablesSetIn } from './variable.ts';

export { CONFIG_VARIABLES } from './groups/index.ts';
export { requireRecipientDomains } from './hardening.ts';
export { InvalidConfiguration } from './variable.ts';
export type { Program };

export type Config = ReturnType<typeof loadConfig>;

/** Cache of downloads and builds per user, shared by all clones and data directories. */
const CACHE_NAME = 'package-import';
const MB = 1024 ** 2;

/**
 * @param program decides which parts must be configured safely
 * @throws InvalidConfiguration that names every variable at fault
 */
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
  program: Program = 'whole service',
) {
  const set = variablesSetIn(env);
  const values = readGroups(GROUPS, set);
  const profile = readTemporalProfile(set);
  const parts = partsOf(program, values.processes.workerRoles);
  const unsafe = unsafeVariables({ values, profile, set, parts });
  if (unsafe.length > 0) throw new InvalidConfiguration(unsafe);
  const ports = portsWith(values.gateway.portOffset);
  const dataDir = resolve(cwd, values.data.directory);
  return Object.freeze({
    gateway: gatewayOf(values, ports),
    /** Quotas of one client, over all gateways. Null for no limit. */
    quotas: { ...CONSTANTS.quotas, ...values.quotas },
    webhooks: {
      hosts: values.notifying.webhookHosts,
      /** Allowed only if the service itself listens on this machine only. */
      loopback: isLoopback(values.gateway.host),
    },
    dataDir,
    cacheDir: join(set.XDG_CACHE_HOME ?? join(homedir(), '.cache'), CACHE_NAME),
    database: databaseOf(values, ports),
    temporal: temporalOf(values, ports, profile),
    auth: authOf(values, ports),
    regulator: {
      ...values.regulator,
      embedded: values.regulator.url === undefined,
      url: values.regulator.url ?? `http://127.0.0.1:${ports.regulatorSimulator}`,
      /** Logs in without a person, because the simulator reveals its verification code. */
      autoLogin: values.regulator.url === undefined,
      port: ports.regulatorSimulator,
    },
    mail: {
      embedded: values.notifying.smtpUrl === undefined,
      requireTls: needsStartTls(values),
      url: values.notifying.smtpUrl ?? `smtp://127.0.0.1:${ports.mailbox}`,
      from: values.notifying.from,
      port: ports.mailbox,
      uiPort: ports.mailboxPages,
      digests: values.notifying.digests,
      defaultRecipient: values.notifying.defaultRecipient ?? null,
    },
    archive: {
      url: values.data.storageUrl ?? `file:${join(dataDir, 'archive')}`,
      retentionDays: values.data.retentionDays,
      failedRetentionDays: Math.min(CONSTANTS.archive.failedRetentionDays, values.data.retentionDays),
      /** Days after which people are forgotten. Null for never. */
      auditRetentionDays: values.data.auditRetentionDays ?? null,
      minFreeBytes: (values.data.minFreeMegabytes ?? 0) * MB,
    },
    readingMemoryBytes: CONSTANTS.readingMemoryBytes,
    /** Newest first. Undefined to generate one in the data directory. Null if the process reads no encrypted data. */
    encryptionSecrets: parts.has('encryption') ? values.data.encryptionSecrets : null,
    shutdownGraceMs: CONSTANTS.shutdownGraceMs,
    healthPort: values.processes.healthPort,
    worker: workerOf(values),
    allowDemoParts: values.safety.allowDemoParts,
    logLevel: values.processes.logLevel,
  });
}

function gatewayOf({ gateway }: Values, ports: Ports) {
  return {
    ...CONSTANTS.gateway,
    ...gateway,
    port: gateway.port ?? ports.gateway,
    publicUrl: gateway.publicUrl ?? null,
  };
}

function databaseOf({ data }: Values, { postgres: port }: Ports): DatabaseConfig {
  return {
    embedded: data.databaseUrl === undefined,
    url: data.databaseUrl ?? `postgresql://package_import:package_import@127.0.0.1:${port}/package_import`,
    port,
    poolSize: data.poolSize,
  };
}

interface DatabaseConfig {
  embedded: boolean;
  url: string;
  port: number;
  poolSize: number;
  /** Overrides the timeout of src/database/orm.ts, for tests. */
  queryMs?: number;
}

function temporalOf({ temporal }: Values, ports: Ports, profile: ClientConfigProfile) {
  return {
    embedded: profile.address === undefined,
    address: profile.address ?? `127.0.0.1:${ports.temporal}`,
    namespace: profile.namespace ?? temporal.namespace,
    profile,
    port: ports.temporal,
    uiPort: ports.temporalUi,
    uiUrl: temporal.uiUrl ?? null,
  };
}

function authOf({ auth }: Values, { identityService: port }: Ports) {
  const embedded = auth.issuer === undefined;
  const issuer = auth.issuer ?? `http://127.0.0.1:${port}`;
  return {
    embedded,
    issuer,
    /** Null to read it from the issuer's metadata. */
    jwksUrl: auth.jwksUrl ?? (embedded ? `${issuer}/oauth2/jwks` : null),
    /** The token endpoint. Null if it is not known. */
    tokenUrl: auth.tokenUrl ?? (embedded ? `${issuer}/oauth2/token` : null),
    audience: auth.audience,
    acceptsPlain: auth.acceptsPlain,
    permissionsClaim: auth.permissionsClaim,
    submittersClaim: auth.submittersClaim,
    /** The web page's OAuth client. */
    app: { clientId: auth.appClientId, scope: auth.appScope },
    port,
  };
}

function workerOf({ processes }: Values): WorkerConfig {
  return {
    ...CONSTANTS.worker,
    roles: processes.workerRoles,
    parser: { refusedChecks: processes.refusedChecks },
  };
}

interface WorkerConfig {
  roles: readonly WorkerRole[];
  readingConcurrency: number;
  readingSliceMs: number;
  /** `threads` overrides the size of the parser pool, for tests. */
  parser: { threads?: number; refusedChecks: readonly ProductCheck[] };
  /** Overrides the machine's name in Temporal, for screenshots. */
  machine?: string;
}
