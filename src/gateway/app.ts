/** The gateway as a Koa application. Reads from the outside in: what every request passes, then the routes. */
import Koa from 'koa';
import { apiDocs } from '../http/api-docs.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { authenticate } from './middleware/authenticate.ts';
import { linger } from './middleware/linger.ts';
import { requestContext } from './middleware/request-context.ts';
import { respondWithErrors } from './middleware/respond-with-errors.ts';
import { describeApi } from './openapi.ts';
import { createRouter, refuseOtherMethods } from './router.ts';
import { healthRoutes } from './routes/health.ts';
import { importPackageRoute } from './routes/import-package.ts';
import { packageImportRoutes } from './routes/package-imports.ts';
import { regulatorSessionRoutes } from './routes/regulator-session.ts';
import { submissionRoutes } from './routes/submissions.ts';

const API_VERSION = '1.0.0';

export function createGateway(dependencies: GatewayDependencies): Koa {
  const { logger, tokens, basePath, tokenUrl } = dependencies;
  const routes = [
    importPackageRoute(dependencies),
    ...packageImportRoutes(dependencies),
    ...submissionRoutes(dependencies),
    ...regulatorSessionRoutes(dependencies),
    ...healthRoutes(dependencies),
  ];
  const router = createRouter(routes, authenticate(tokens), basePath);
  const app = new Koa();
  // Koa would print what escapes the error middleware to the console.
  app.on('error', (error: Error) => logger.error({ err: error }, 'unexpected error of the HTTP layer'));
  app.use(linger());
  app.use(requestContext(logger));
  app.use(respondWithErrors(logger));
  app.use(
    apiDocs(
      describeApi(routes, { version: API_VERSION, basePath, tokenUrl }),
      'Package import API',
      basePath,
    ),
  );
  app.use(router.routes() as Koa.Middleware);
  app.use(refuseOtherMethods(router));
  return app;
}
