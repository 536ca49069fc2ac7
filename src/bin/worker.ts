/** The workers of WORKER_ROLES as a process of their own. Stop on SIGTERM and SIGINT after finishing what runs. */

import { startWorkers } from './compose-workers.ts';
import { configOfThisProcess } from './environment.ts';
import { createLogger } from './logger.ts';
import { runProcess } from './process.ts';

await runProcess('worker', async () => {
  const config = configOfThisProcess();
  const logger = createLogger(config.logLevel, 'worker');
  const workers = await startWorkers(config, logger);
  logger.info({ roles: config.worker.roles }, 'workers are polling');
  return workers;
});
