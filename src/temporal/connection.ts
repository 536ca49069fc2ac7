/** Connecting to Temporal: a local server, a cluster with mutual TLS, or Temporal Cloud with an API key. */
import { readFile } from 'node:fs/promises';
import { Client, Connection, type TLSConfig } from '@temporalio/client';
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
  };
}

/** @throws when the server does not answer */
export async function connectClient(
  options: TemporalOptions,
): Promise<{ client: Client; connection: Connection }> {
  const connection = await Connection.connect(await connectionOptions(options));
  return { client: new Client({ connection, namespace: options.namespace }), connection };
}

/** The connection of workers, which is the SDK core's. */
export async function connectWorker(options: TemporalOptions): Promise<NativeConnection> {
  return NativeConnection.connect(await connectionOptions(options));
}

async function connectionOptions({ address, apiKey, tls }: TemporalOptions) {
  return {
    address,
    ...(apiKey !== undefined && { apiKey }),
    ...(tls.enabled && { tls: await tlsConfig(tls) }),
  };
}

async function tlsConfig({ certFile, keyFile, caFile }: TemporalOptions['tls']): Promise<TLSConfig | true> {
  if (!certFile && !keyFile && !caFile) return true;
  return {
    ...(caFile && { serverRootCACertificate: await readFile(caFile) }),
    ...(certFile &&
      keyFile && { clientCertPair: { crt: await readFile(certFile), key: await readFile(keyFile) } }),
  };
}
