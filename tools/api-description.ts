/**
 * Returns the API description that the gateway serves at /api/doc.json, without starting a database, Temporal
 * or storage.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../src/config/index.ts';
import { createGateway } from '../src/gateway/app.ts';
import type { GatewayDependencies } from '../src/gateway/dependencies.ts';

/** Routes receive their dependencies at creation and use them per request. No request here uses one. */
const nothing: unknown = new Proxy(() => nothing, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 0 : nothing),
});

/** @throws Error when the gateway does not serve it */
export async function describeApi(version: string): Promise<object> {
  const { maxUploadBytes } = loadConfig({}).gateway;
  const known = {
    limits: { maxUploadBytes },
    version,
    basePath: '',
    tokenUrl: null,
    page: null,
    trustedProxies: 0,
    observers: [],
  };
  const parts = new Proxy(known, {
    get: (target, name) => (Object.hasOwn(target, name) ? Reflect.get(target, name) : nothing),
  });
  const server = createServer(createGateway(parts as unknown as GatewayDependencies).callback());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/api/doc.json`);
    if (!response.ok)
      throw new Error(`The gateway answered ${response.status} when asked for its description.`);
    return (await response.json()) as object;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
