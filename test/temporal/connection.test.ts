/** Connects through TLS: with a client certificate, with an API key, and refused without either. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { connectClient, connectWorker } from '../../src/temporal/connection.ts';
import { type Authority, createAuthority, type KeyPair } from '../support/certificates.ts';
import { importsOf } from '../support/imports.ts';
import { startTestStack } from '../support/services/in-process-stack.ts';
import { temporalOfTests } from '../support/services/servers.ts';
import { temporaryRoot } from '../support/temporary.ts';
import { finished } from '../support/upload.ts';
import { startTlsProxy, type TlsProxy } from './support/tls-proxy.ts';

const SERVER_NAME = 'temporal.example';
const API_KEY = 'key-of-the-test';

let directory: string;
let authority: Authority;
let server: KeyPair;
let client: KeyPair;
beforeAll(async () => {
  directory = await mkdtemp(join(temporaryRoot(), 'package-import-tls-'));
  authority = await createAuthority(directory, 'authority');
  server = await authority.issue(SERVER_NAME);
  client = await authority.issue('importer');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function proxy(clientAuthority?: string): Promise<TlsProxy> {
  const started = await startTlsProxy(temporalOfTests(), server, clientAuthority);
  onTestFinished(() => started.close());
  return started;
}

const trusting = () => ({
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.cert,
  TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
});
const withCertificate = ({ cert, key } = client) => ({
  TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: key,
});

/** Connects as gateways do, then as workers do. */
async function connect(env: Record<string, string>): Promise<void> {
  const { temporal } = loadConfig({ TEMPORAL_NAMESPACE: 'test-1', ...env });
  const asGateway = await connectClient(temporal);
  try {
    await asGateway.connection.workflowService.getSystemInfo({});
  } finally {
    await asGateway.connection.close();
  }
  const asWorker = await connectWorker(temporal);
  await asWorker.close();
}

describe('mutual TLS', () => {
  it('imports a package through it', async () => {
    const { address, calls } = await proxy(authority.cert);
    const stack = await startTestStack({
      env: { TEMPORAL_ADDRESS: address, ...trusting(), ...withCertificate() },
    });
    try {
      const { importId } = await importsOf(stack).importOne();
      const [submission] = (await finished(stack, importId)).submissions;
      expect(submission?.status).toBe('regulator_inserted');
    } finally {
      await stack.stop();
    }
    const paths = calls.map((headers) => String(headers[':path']).split('/').at(-1));
    expect(paths).toEqual(expect.arrayContaining(['ExecuteMultiOperation', 'PollWorkflowTaskQueue']));
  });

  it('does not come about without all that belongs to it', async () => {
    const { address, calls } = await proxy(authority.cert);
    const other = await createAuthority(directory, 'other-authority');
    const insufficient: Record<string, Record<string, string>> = {
      'no certificate': trusting(),
      'a certificate of another authority': {
        ...trusting(),
        ...withCertificate(await other.issue('intruder')),
      },
      'a server of another name': { ...withCertificate(), TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.cert },
      'a server of an unknown authority': { ...withCertificate(), TEMPORAL_TLS_SERVER_NAME: SERVER_NAME },
      'no TLS': { TEMPORAL_TLS: 'false' },
    };
    const connected: string[] = [];
    // In parallel: a client gives up only after ten seconds.
    await Promise.all(
      Object.entries(insufficient).map(async ([what, env]) => {
        const { temporal } = loadConfig({ ...env, TEMPORAL_ADDRESS: address });
        const tries = await Promise.allSettled([connectClient(temporal), connectWorker(temporal)]);
        if (tries.some(({ status }) => status === 'fulfilled')) connected.push(what);
      }),
    );
    expect(connected).toEqual([]);
    expect(calls).toEqual([]);
  });
});

describe('an API key', () => {
  it('goes with every call, over TLS', async () => {
    const { address, calls } = await proxy();
    await connect({ TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: API_KEY, ...trusting() });
    expect(calls.length).toBeGreaterThan(1);
    const keys = new Set(calls.map(({ authorization }) => authorization));
    expect([...keys]).toEqual([`Bearer ${API_KEY}`]);
  });

  it('is sent without TLS only when that is asked for', async () => {
    const plain = temporalOfTests();
    await connect({ TEMPORAL_ADDRESS: plain, TEMPORAL_API_KEY: API_KEY, TEMPORAL_TLS: 'false' });
    const { temporal } = loadConfig({ TEMPORAL_ADDRESS: plain, TEMPORAL_API_KEY: API_KEY });
    await expect(connectClient(temporal)).rejects.toThrow();
    await expect(connectWorker(temporal)).rejects.toThrow();
  });
});
