/** Pausing all inserting, and letting it go on: for operators (architecture §pausing-inserting). */
import { type InsertingPause, pauseMessage } from '../../domain/inserting-pause.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { defineRoute } from '../route.ts';
import { type InsertingJson, inserting, pause } from '../schemas/inserting.ts';

const path = '/regulator/inserting';
const tag = 'Inserting';
const permission = PERMISSIONS.operate;

export function insertingRoutes({ database: { insertingPause } }: Pick<GatewayDependencies, 'database'>) {
  const state = async () => answer(await insertingPause.current());
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'getInserting',
      tag,
      summary: 'Whether products are being inserted, or everything is paused',
      permission,
      answers: { 200: { description: 'The state', data: inserting } },
      handle: state,
    }),
    defineRoute({
      method: 'post',
      path: `${path}/actions/pause`,
      operationId: 'postInsertingPause',
      tag,
      summary: 'Pause all inserting',
      description:
        'Steps under way are finished, and within a second no further one begins, in any worker. Uploads are answered, ' +
        'and their products queued. The reason is shown by every run that waits.',
      permission,
      body: pause,
      answers: { 200: { description: 'It is paused', data: inserting } },
      async handle({ caller, body: { reason } }) {
        await insertingPause.pause(reason, caller.actor);
        return state();
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/actions/resume`,
      operationId: 'postInsertingResume',
      tag,
      summary: 'Let inserting go on',
      permission,
      answers: { 200: { description: 'It goes on', data: inserting } },
      async handle({ caller }) {
        await insertingPause.resume(caller.actor);
        return state();
      },
    }),
  ];
}

function answer(current: InsertingPause | null): { message: string; data: InsertingJson } {
  return {
    message: pauseMessage(current),
    data: {
      paused: current !== null,
      reason: current?.reason ?? null,
      paused_by: current?.actor ?? null,
      paused_at: current?.since.toISOString() ?? null,
    },
  };
}
