/** A worker for the child workflows that do nothing: a process of its own, with the heap size of the service's worker. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { FloorActivities } from './workflows.ts';

const [address = '', namespace = '', taskQueue = ''] = process.argv.slice(2);
const logger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const activities: FloorActivities = { nothing: async () => {} };

Runtime.install({ logger, shutdownSignals: [] });
const workflowsPath = fileURLToPath(new URL('./workflows.ts', import.meta.url));
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  namespace,
  taskQueue,
  workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
  activities,
  maxConcurrentActivityTaskExecutions: 20,
  maxConcurrentWorkflowTaskExecutions: Math.max(20, availableParallelism()),
});
process.once('disconnect', () => worker.shutdown());
const running = worker.run();
process.send?.('ready');
await running;
process.exit(0);
