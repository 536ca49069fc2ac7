/**
 * Connections to Temporal: a local server, a cluster with mutual TLS, or Temporal Cloud with an API key; and the search
 * attributes of its namespace.
 */

import { hostname } from 'node:os';
import {
  Client,
  type ClientOptions,
  Connection,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { type ClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import { SEARCH_ATTRIBUTES } from '../domain/start-options.ts';

interface TemporalOptions {
  /** `host:port` */
  address: string;
  namespace: string;
  /** API key, TLS and metadata. The certificates are read at each connection. */
  profile: ClientConfigProfile;
}

/** Identity, payload conversion and interceptors of a client. */
type ClientSetup = Pick<ClientOptions, 'identity' | 'dataConverter' | 'interceptors'>;

/** Connects with the first call: a gateway starts during an outage of Temporal. */
export function createClient(
  options: TemporalOptions,
  setup: ClientSetup = {},
): { client: Client; connection: Connection } {
  const connection = Connection.lazy(connectionOptions(options));
  return { client: new Client({ connection, namespace: options.namespace, ...setup }), connection };
}

export async function connectWorker(options: TemporalOptions): Promise<NativeConnection> {
  return NativeConnection.connect(connectionOptions(options));
}

function connectionOptions({ address, profile }: TemporalOptions) {
  return toClientOptions({ ...profile, address }).connectionOptions;
}

/**
 * The identity of a process, which the Web UI shows beside every event.
 *
 * @param machine replaces this process's own, for pictures
 */
export function identityOf(role: string, machine = `${hostname()}:${process.pid}`): string {
  return `${role}@${machine}`;
}

/** For the `catch` of a request about a run that may have ended or never existed. @throws every other error */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** For the `catch` of a start. Undefined while another run with the id is under way. @throws every other error */
export function ignoreAlreadyStarted(error: unknown): undefined {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}

/** False for a run that has ended or never existed. */
export async function isRunning(handle: WorkflowHandle): Promise<boolean> {
  const description = await handle.describe().catch(ignoreNotFound);
  return description?.status.name === 'RUNNING';
}

/** gRPC's status of a refusal: INVALID_ARGUMENT, PERMISSION_DENIED, FAILED_PRECONDITION, UNIMPLEMENTED. */
const REFUSALS: readonly number[] = [3, 7, 9, 12];

/** Temporal API, `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPE = { KEYWORD: 2, INT: 3 } as const;

export interface SearchAttributes {
  /** Start options with these attributes; none if Temporal refuses to register them. @throws during an outage */
  of(pairs: SearchAttributePair[]): Promise<{ typedSearchAttributes?: TypedSearchAttributes }>;
}

/**
 * Registers the attributes in the namespace (decision §runs-in-temporal): at once, or with the first start after an
 * outage. A refusal is no error: workflows then start without attributes, because an unregistered attribute makes every
 * start fail.
 *
 * @param onRefused gets the reason, once
 */
export function registerSearchAttributes(
  connection: Connection,
  namespace: string,
  onRefused: (reason: string) => void,
): SearchAttributes {
  const registered = () =>
    register(connection, namespace).catch((error: Error) => {
      // A later request may succeed: a namespace is created, a certificate is replaced.
      if (!isGrpcServiceError(error) || !REFUSALS.includes(error.code)) throw error;
      onRefused(error.message);
      return false;
    });
  const { get } = createSingleFlightCache(registered, () => Number.POSITIVE_INFINITY);
  get().catch(() => {});
  return {
    of: async (pairs) => ((await get()) ? { typedSearchAttributes: new TypedSearchAttributes(pairs) } : {}),
  };
}

async function register(connection: Connection, namespace: string): Promise<boolean> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !customAttributes?.[name]);
  if (missing.length === 0) return true;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, INDEXED_VALUE_TYPE[type]])),
    });
  } catch (error) {
    // Another process registered them first.
    if (!(isGrpcServiceError(error) && /already exists/i.test(error.details))) throw error;
  }
  return true;
}
