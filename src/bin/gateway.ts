/** The gateway as a process of its own. Stops on SIGTERM and SIGINT after finishing the uploads under way. */
import { configOfThisProcess } from '../processes/environment.ts';
import { startGateway } from '../processes/gateway.ts';
import { createLogger } from '../processes/logger.ts';
import { runProcess } from '../processes/run-process.ts';

await runProcess('gateway', async () => {
  const config = configOfThisProcess();
  const logger = createLogger(config.logLevel, 'gateway');
  const gateway = await startGateway(config, logger);
  logger.info({ url: gateway.url }, 'gateway is listening');
  return gateway;
});
