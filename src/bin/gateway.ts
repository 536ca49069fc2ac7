/** The gateway as a process of its own. Stops on SIGTERM and SIGINT after finishing the uploads under way. */
import { readArguments } from '../processes/arguments.ts';
import { configOfThisProcess } from '../processes/environment.ts';
import { startGateway } from '../processes/gateway.ts';
import { createLogger } from '../processes/logger.ts';
import { ensurePage } from '../processes/page.ts';
import { runProcess } from '../processes/run-process.ts';

readArguments({
  command: 'npm run gateway --',
  about: 'Starts the HTTP gateway: API and web page. SIGTERM stops it, after the uploads under way.',
});

await runProcess('gateway', async () => {
  const config = configOfThisProcess();
  const logger = createLogger(config.logLevel, 'gateway');
  const gateway = await startGateway(config, logger);
  logger.info({ url: gateway.url }, 'gateway is listening');
  // The API does not wait for it.
  ensurePage(config.cacheDir, (line) => logger.info(line)).catch((error: Error) =>
    logger.warn({ reason: error.message }, 'there is no web page; the API works'),
  );
  return gateway;
});
