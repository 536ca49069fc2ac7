import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { connectWorker, createClient, registerSearchAttributes } from '../../src/temporal/connection.ts';
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
  const asGateway = createClient(temporal);
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
        const asGateway = createClient(temporal).connection.ensureConnected();
        const attempts = await Promise.allSettled([asGateway, connectWorker(temporal)]);
        if (attempts.some(({ status }) => status === 'fulfilled')) connected.push(what);
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
    await expect(createClient(temporal).connection.ensureConnected()).rejects.toThrow();
    await expect(connectWorker(temporal)).rejects.toThrow();
  });
});

describe('search attributes', () => {
  /**
   * Registers them at a Temporal whose first answers have these gRPC statuses. Returns the refusals, and attempts of a
   * start.
   */
  async function startsAfter(...codes: number[]) {
    const operatorService = {
      async listSearchAttributes() {
        const code = codes.shift();
        if (code === undefined) return { customAttributes: {} };
        throw Object.assign(new Error('the reason'), { code, details: '', metadata: {} });
      },
      addSearchAttributes: async () => ({}),
    };
    const refused: string[] = [];
    const attributes = registerSearchAttributes({ operatorService } as never, 'test-1', (reason) => {
      refused.push(reason);
    });
    const starts: unknown[] = [];
    for (const _ of [1, 2])
      starts.push(
        await attributes.of([]).then(
          (options) => Object.keys(options),
          (error: Error) => error.message,
        ),
      );
    return { refused, starts };
  }

  const REGISTERED = ['typedSearchAttributes'];

  it('are left out if Temporal refuses them', async () => {
    expect(await startsAfter(7)).toEqual({ refused: ['the reason'], starts: [[], []] });
  });

  it.each([
    ['an outage', 14],
    ['a namespace that is created later', 5],
  ])('are registered after %s', async (_, code) => {
    expect(await startsAfter(code)).toEqual({ refused: [], starts: ['the reason', REGISTERED] });
  });
});
