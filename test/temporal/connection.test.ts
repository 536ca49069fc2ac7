import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { connectClient, connectWorker, registerSearchAttributes } from '../../src/temporal/connection.ts';
import { createAuthority } from '../support/certificates.ts';
import { temporalOfTests } from '../support/servers.ts';
import { startTlsProxy } from './support/tls-proxy.ts';

const SERVER_NAME = 'temporal.example';
const API_KEY = 'key-of-the-test';

const authority = await createAuthority();
const server = await authority.issue(SERVER_NAME);
const client = await authority.issue('importer');

const proxy = (clientAuthority?: string) => startTlsProxy(temporalOfTests(), server, clientAuthority);

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
  it('connects gateways and workers', async () => {
    const { address, calls } = await proxy(authority.cert);
    await connect({ TEMPORAL_ADDRESS: address, ...trusting(), ...withCertificate() });
    expect(calls.length).toBeGreaterThan(1);
  });

  it('fails without all its files', async () => {
    const { address, calls } = await proxy(authority.cert);
    const other = await createAuthority('other-authority');
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
  it('is sent with every call, over TLS', async () => {
    const { address, calls } = await proxy();
    await connect({ TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: API_KEY, ...trusting() });
    expect(calls.length).toBeGreaterThan(1);
    const keys = new Set(calls.map(({ authorization }) => authorization));
    expect([...keys]).toEqual([`Bearer ${API_KEY}`]);
  });

  it('is sent without TLS only on request', async () => {
    const plain = temporalOfTests();
    await connect({ TEMPORAL_ADDRESS: plain, TEMPORAL_API_KEY: API_KEY, TEMPORAL_TLS: 'false' });
    const { temporal } = loadConfig({ TEMPORAL_ADDRESS: plain, TEMPORAL_API_KEY: API_KEY });
    await expect(connectClient(temporal)).rejects.toThrow();
    await expect(connectWorker(temporal)).rejects.toThrow();
  });
});

describe('search attributes', () => {
  /** Starts with a Temporal that answers the registration with this gRPC status. Returns its refusals, and whether it started. */
  async function startWith(code: number) {
    const error = Object.assign(new Error('the reason'), { code, details: '', metadata: {} });
    const operatorService = { listSearchAttributes: () => Promise.reject(error) };
    const refused: string[] = [];
    const start = registerSearchAttributes({ operatorService } as never, 'test-1', (reason) => {
      refused.push(reason);
    });
    return {
      refused,
      started: await start.then(
        () => true,
        () => false,
      ),
    };
  }

  it('are left out if Temporal refuses them, and not because of an outage at the start', async () => {
    expect(await startWith(7)).toEqual({ refused: ['the reason'], started: true });
    expect(await startWith(14)).toEqual({ refused: [], started: false });
  });
});
