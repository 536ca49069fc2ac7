/** The gateway as a Koa application: the middleware of every request, outermost first, then the routes. */

import Koa from 'koa';
import { apiDocs } from '../http/api-docs.ts';
import { securityHeaders } from '../http/koa.ts';
import { linger } from '../http/lingering-close.ts';
import { SlowClient } from '../http/slow-clients.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { docUrls, serveErrorPage } from './error-page.ts';
import { requestContext, respondWithErrors } from './every-request.ts';
import { describeApi } from './openapi.ts';
import { servePage } from './page.ts';
import { createRequestLimit } from './quotas/limit-requests.ts';
import type { GatewayMiddleware, GatewayState, Route } from './route.ts';
import { type Admit, createRouter, refuseOtherMethods } from './router.ts';
import { dossierRoutes } from './routes/dossier.ts';
import { failedFileRoute } from './routes/failed-file.ts';
import { failureRoutes } from './routes/failures.ts';
import { importActionRoutes } from './routes/import-actions.ts';
import { importTableRoutes } from './routes/import-tables.ts';
import { operatorRoutes } from './routes/operators.ts';
import { originalPackageRoute } from './routes/original-package.ts';
import { packageImportRoutes } from './routes/package-imports.ts';
import { repairPackRoute } from './routes/repair-pack.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { submissionRoutes } from './routes/submissions.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { createAuthentication } from './tokens/authenticate.ts';
import { importPackageRoute } from './upload/import-package.ts';

/** Error codes of a connection that the client has closed. */
const GONE = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

export function createGateway(dependencies: GatewayDependencies): Koa<GatewayState> {
  const { version, logger, tokens, basePath, tokenUrl, quotas, trustedProxies } = dependencies;
  const routes = routesOf(dependencies);
  const authenticate = createAuthentication(tokens);
  const limitRequests = createRequestLimit(quotas.requests);
  const admit: Admit = async (ctx) => {
    const caller = await authenticate(ctx);
    ctx.state.caller = caller;
    ctx.set(await limitRequests(caller));
    return caller;
  };
  const router = createRouter(routes, admit, dependencies);
  // Only the last entries of X-Forwarded-For are trustworthy: our own proxies have added them.
  const app = new Koa<GatewayState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  // Without a listener Koa prints errors that escape the error middleware to the console.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error instanceof SlowClient || GONE.includes(error.code ?? ''))
      logger.info({ reason: error.message }, 'the client disconnected before the end of its answer');
    else logger.error({ err: error }, 'unexpected error of the HTTP layer');
  });
  app.use(linger());
  app.use(securityHeaders());
  app.use(requestContext(logger));
  for (const observer of dependencies.observers) app.use(observer);
  app.use(respondWithErrors(docUrls(dependencies)));
  const description = describeApi(routes, { version, basePath, tokenUrl });
  app.use(serveErrorPage(dependencies));
  app.use(apiDocs(description, 'Package import API', { basePath, tokenUrl }));
  if (dependencies.page) app.use(servePage(dependencies.page, basePath, tokenUrl));
  app.use(router.routes() as GatewayMiddleware);
  app.use(refuseOtherMethods(router));
  return app;
}

export function routesOf(dependencies: GatewayDependencies): Route[] {
  return [
    importPackageRoute(dependencies),
    ...packageImportRoutes(dependencies),
    ...importTableRoutes(dependencies),
    ...importActionRoutes(dependencies),
    repairPackRoute(dependencies),
    originalPackageRoute(dependencies),
    failedFileRoute(dependencies),
    ...submissionRoutes(dependencies),
    ...failureRoutes(dependencies),
    ...dossierRoutes(dependencies),
    ...statisticsRoutes(dependencies),
    ...webhookRoutes(dependencies),
    ...operatorRoutes(dependencies),
  ];
}
