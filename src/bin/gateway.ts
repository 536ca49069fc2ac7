/** The gateway as a process of its own. Stops on SIGTERM and SIGINT after finishing the uploads under way. */

import { startGateway } from './compose-gateway.ts';
import { configOfThisProcess } from './environment.ts';
import { createLogger } from './logger.ts';
import { runProcess } from './process.ts';

await runProcess('gateway', async () => {
  const config = configOfThisProcess();
  const logger = createLogger(config.logLevel, 'gateway');
  const gateway = await startGateway(config, logger);
  logger.info({ url: gateway.url }, 'gateway is listening');
  return gateway;
});
