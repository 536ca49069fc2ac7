/** Connecting to Temporal: a local server, a cluster with mutual TLS, or Temporal Cloud with an API key. */
import { readFile } from 'node:fs/promises';
import { Client, type ClientOptions, Connection, type TLSConfig } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';

export interface TemporalOptions {
  /** `host:port` */
  address: string;
  namespace: string;
  apiKey?: string | undefined;
  tls: {
    enabled: boolean;
    certFile?: string | undefined;
    keyFile?: string | undefined;
    caFile?: string | undefined;
    /** Name that the server's certificate must have; by default the host of the address. */
    serverName?: string | undefined;
  };
}

/** How a client names itself, what it does to payloads, and who looks on. */
export type ClientSetup = Pick<ClientOptions, 'identity' | 'dataConverter' | 'interceptors'>;

/** @throws when the server does not answer */
export async function connectClient(
  options: TemporalOptions,
  setup: ClientSetup = {},
): Promise<{ client: Client; connection: Connection }> {
  const connection = await Connection.connect(await connectionOptions(options));
  return { client: new Client({ connection, namespace: options.namespace, ...setup }), connection };
}

/** The connection of workers, which is the SDK core's. */
export async function connectWorker(options: TemporalOptions): Promise<NativeConnection> {
  return NativeConnection.connect(await connectionOptions(options));
}

async function connectionOptions({ address, apiKey, tls }: TemporalOptions) {
  return {
    address,
    ...(apiKey !== undefined && { apiKey }),
    // Not left out: with an API key the SDK would take that for "on".
    tls: tls.enabled ? await tlsConfig(tls) : false,
  };
}

async function tlsConfig({
  certFile,
  keyFile,
  caFile,
  serverName,
}: TemporalOptions['tls']): Promise<TLSConfig> {
  return {
    ...(serverName && { serverNameOverride: serverName }),
    ...(caFile && { serverRootCACertificate: await readFile(caFile) }),
    ...(certFile &&
      keyFile && { clientCertPair: { crt: await readFile(certFile), key: await readFile(keyFile) } }),
  };
}
