/** Pauses and resumes all inserting, for operators (decision §pausing-inserting). */

import {
  getInserting,
  type Inserting,
  postInsertingPause,
  postInsertingResume,
} from '../../contract/schemas/inserting.ts';
import { type InsertingPause, pauseMessage } from '../../domain/regulator.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { defineRoute } from '../route.ts';

export function insertingRoutes({ database: { insertingPause } }: Pick<GatewayDependencies, 'database'>) {
  const state = async () => answer(await insertingPause.current());
  return [
    defineRoute({
      ...getInserting,
      handle: state,
    }),
    defineRoute({
      ...postInsertingPause,
      async handle({ caller, body: { reason } }) {
        await insertingPause.pause(reason, caller.actor);
        return state();
      },
    }),
    defineRoute({
      ...postInsertingResume,
      async handle({ caller }) {
        await insertingPause.resume(caller.actor);
        return state();
      },
    }),
  ];
}

function answer(current: InsertingPause | null): { message: string; data: Inserting } {
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
