/** Connections to Temporal: a local server, a cluster with mutual TLS, or Temporal Cloud with an API key. */
import { Client, type ClientOptions, Connection } from '@temporalio/client';
import { type ClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';

export interface TemporalOptions {
  /** `host:port` */
  address: string;
  namespace: string;
  /** API key, TLS and metadata. The certificates are read at each connection. */
  profile: ClientConfigProfile;
}

/** Identity, payload conversion and interceptors of a client. */
export type ClientSetup = Pick<ClientOptions, 'identity' | 'dataConverter' | 'interceptors'>;

/** @throws when the server does not answer */
export async function connectClient(
  options: TemporalOptions,
  setup: ClientSetup = {},
): Promise<{ client: Client; connection: Connection }> {
  const connection = await Connection.connect(connectionOptions(options));
  return { client: new Client({ connection, namespace: options.namespace, ...setup }), connection };
}

/** Connects workers, through the SDK core. */
export async function connectWorker(options: TemporalOptions): Promise<NativeConnection> {
  return NativeConnection.connect(connectionOptions(options));
}

function connectionOptions({ address, profile }: TemporalOptions) {
  return toClientOptions({ ...profile, address }).connectionOptions;
}
