/** Costs of runs in Temporal, as the server counts them. */
import protobuf, { type temporal as proto } from '@temporalio/proto';
import type { Service } from './service.ts';

export interface RunCounts {
  events: number;
  /** State transitions that the server has written: the measure by which a cluster is sized. */
  transitions: number;
  /** Bytes of the history. */
  bytes: number;
  /** Billed actions of a hosted Temporal, estimated from the history. */
  actions: number;
}

const { EventType } = protobuf.temporal.api.enums.v1;

/**
 * Events that are one billed action each. Activities are billed by the attempt, local activities by the workflow task.
 */
const BILLED: ReadonlySet<proto.api.enums.v1.EventType> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
  EventType.EVENT_TYPE_TIMER_STARTED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
  EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
]);

export async function countsOf({ temporal }: Service, workflowId: string): Promise<RunCounts> {
  const handle = temporal.workflow.getHandle(workflowId);
  const { raw, historyLength, historySize } = await handle.describe();
  const { events } = await handle.fetchHistory();
  return {
    events: historyLength,
    transitions: Number(raw.workflowExecutionInfo?.stateTransitionCount),
    bytes: historySize ?? 0,
    actions: actionsOf(events ?? []),
  };
}

type HistoryEvent = proto.api.history.v1.IHistoryEvent;

/** Follows the public list of billed actions. A history contains no queries, heartbeats or refused updates. */
export function actionsOf(events: readonly HistoryEvent[]): number {
  let actions = 0;
  const tasksWithLocalActivities = new Set<string>();
  for (const event of events) {
    if (event.eventType && BILLED.has(event.eventType)) actions += 1;
    // The scheduled event already counts the first attempt.
    actions += Math.max(0, (event.activityTaskStartedEventAttributes?.attempt ?? 1) - 1);
    const marker = event.markerRecordedEventAttributes;
    if (marker?.markerName === 'core_local_activity')
      tasksWithLocalActivities.add(String(marker.workflowTaskCompletedEventId));
  }
  return actions + tasksWithLocalActivities.size;
}

/** Milliseconds from the start of the first activity of a type to its end. @throws when no such activity has ended */
export async function activityTime(
  { temporal }: Service,
  workflowId: string,
  activityType: string,
): Promise<number> {
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = events?.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activityType,
  );
  const belongs = (id: unknown) => id != null && String(id) === String(scheduled?.eventId);
  const started = events?.find((e) => belongs(e.activityTaskStartedEventAttributes?.scheduledEventId));
  const completed = events?.find((e) => belongs(e.activityTaskCompletedEventAttributes?.scheduledEventId));
  if (!started || !completed)
    throw new Error(`The workflow ${workflowId} has no ended activity ${activityType}`);
  return millisecondsOf(completed) - millisecondsOf(started);
}

function millisecondsOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1_000_000;
}
