/** The gateway process. SIGTERM and SIGINT stop it after the running uploads. */
import { configOfThisProcess } from '../config/index.ts';
import { ensurePage } from './gateway/page.ts';
import { startGateway } from './gateway/start-gateway.ts';
import { createLogger } from './shared/logger.ts';
import { readArguments, runProcess } from './shared/program.ts';

readArguments({
  command: 'npm run gateway --',
  about: 'Starts the HTTP gateway: API and web page. SIGTERM stops it after the running uploads.',
});

await runProcess('gateway', async () => {
  const config = configOfThisProcess('gateway');
  const logger = createLogger(config.logLevel, 'gateway');
  const gateway = await startGateway(config, logger);
  logger.info({ url: gateway.url }, 'gateway is listening');
  // The API does not wait for the page.
  ensurePage(config.cacheDir, (line) => logger.info(line)).catch((error: Error) =>
    logger.warn({ reason: error.message }, 'the web page is not available; the API works'),
  );
  return gateway;
});
