/** The API description that the gateway serves at /api/doc.json, without a database, Temporal or storage. */
import { loadConfig } from '../src/config/index.ts';
import { routesOf } from '../src/gateway/app.ts';
import type { GatewayDependencies } from '../src/gateway/dependencies.ts';
import { describeApi } from '../src/gateway/openapi.ts';

const { maxUploadBytes } = loadConfig({}).gateway;

/** Routes receive their dependencies at creation and use them per request. The description has one of their values. */
const nothing: unknown = new Proxy(() => nothing, {
  get(_target, name) {
    if (name === 'maxUploadBytes') return maxUploadBytes;
    return name === Symbol.toPrimitive ? () => 0 : nothing;
  },
});

export function apiDescription(version: string): object {
  const routes = routesOf(nothing as GatewayDependencies);
  return describeApi(routes, { version, basePath: '', tokenUrl: null });
}
