/** Runs child workflows that do nothing, on the Temporal server of a service, on a task queue of their own. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from '../../src/processes/shared/program.ts';
import type { Service } from '../service.ts';
import type { ChildrenToStart, noOpParent } from './workflows.ts';

export interface NoOpChildren {
  /** Process ID of their worker. */
  pid: number;
  /** Resolves with the ID of the first child's run when all have started, or ended. */
  run(children: ChildrenToStart): Promise<{ firstChild: string }>;
  stop(): Promise<void>;
}

const TASK_QUEUE = 'bench-floor';

export async function startNoOpChildren({ config, temporal }: Service): Promise<NoOpChildren> {
  const { address, namespace } = config.temporal;
  const program = fileURLToPath(new URL('./worker.ts', import.meta.url));
  const child = fork(program, [address, namespace, TASK_QUEUE], { execArgv: [...NODE_OPTIONS] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    void exited.then(() => reject(new Error('The worker of the floor did not start')));
  });
  const run = async (children: ChildrenToStart) => {
    const workflowId = `bench-floor-${randomUUID()}`;
    const options = { workflowId, taskQueue: TASK_QUEUE, args: [children] as [ChildrenToStart] };
    await temporal.workflow.execute<typeof noOpParent>('noOpParent', options);
    return { firstChild: `${workflowId}-0` };
  };
  // The first run of a worker fills its caches for the later ones.
  await run({ children: 1, activities: 1, untilEnded: true });
  return {
    pid: child.pid ?? Number.NaN,
    run,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
