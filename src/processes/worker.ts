/** The worker process, with the workers of WORKER_ROLES. SIGTERM and SIGINT stop it after the running activities. */
import { configOfThisProcess } from '../config/index.ts';
import { createLogger } from './shared/logger.ts';
import { readArguments, runProcess } from './shared/program.ts';
import { startWorkers } from './workers/start-workers.ts';

readArguments({
  command: 'npm run worker --',
  about: 'Starts the workers of WORKER_ROLES. SIGTERM stops them after the running activities.',
});

await runProcess('worker', async () => {
  const config = configOfThisProcess('worker');
  const logger = createLogger(config.logLevel, 'worker');
  const workers = await startWorkers(config, logger);
  logger.info({ roles: config.worker.roles }, 'workers are polling');
  return workers;
});
