import { Context } from '@temporalio/activity';

/** The actor of an activity in the audit trail: the workflow run that called it. */
export function actor(): string {
  const execution = Context.current().info.workflowExecution;
  return execution ? `workflow:${execution.workflowId}/${execution.runId}` : 'service:activity';
}

/** The run id of the workflow that called the activity. */
export function runId(): string {
  const execution = Context.current().info.workflowExecution;
  if (!execution) throw new Error('Only workflows may call this activity');
  return execution.runId;
}
