/** Child workflows that do nothing: the floor of a durable insert on a Temporal server. */
import { ParentClosePolicy, proxyActivities, startChild, workflowInfo } from '@temporalio/workflow';

export interface FloorActivities {
  nothing(): Promise<void>;
}

export interface ChildrenToStart {
  children: number;
  /** Activities of each child, one after the other. */
  activities: number;
  /** Whether the parent waits for their ends, or for their starts only. */
  untilEnded: boolean;
}

const { nothing } = proxyActivities<FloorActivities>({ startToCloseTimeout: '1 minute' });

export async function noOpParent({ children, activities, untilEnded }: ChildrenToStart): Promise<void> {
  const { workflowId } = workflowInfo();
  const started = await Promise.all(
    Array.from({ length: children }, (_, index) =>
      startChild(noOpChild, {
        workflowId: `${workflowId}-${index}`,
        args: [activities],
        parentClosePolicy: ParentClosePolicy.ABANDON,
      }),
    ),
  );
  if (untilEnded) await Promise.all(started.map((child) => child.result()));
}

export async function noOpChild(activities: number): Promise<void> {
  for (let index = 0; index < activities; index += 1) await nothing();
}
